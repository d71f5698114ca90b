import { describe, expect, it } from 'vitest';
import { createPageGuard, type FrameInfo } from './page-guard.ts';

const guard = createPageGuard(() => [8403, 9000]);
const OWN = 'http://127.0.0.1:9000/settings';
const SITE = 'https://a.example/';
const frames = (...urls: [url: string, parentFrameId: number][]): FrameInfo[] =>
  urls.map(([url, parentFrameId], frameId) => ({ frameId, parentFrameId, url, documentId: `doc${frameId}` }));

describe('S1 who is kept away from Forge’s own pages', () => {
  it.each([
    [SITE, true],
    ['http://127.0.0.1:5000/', true],
    [OWN, false],
    ['http://localhost:8403/', false],
    // Whoever opened an empty page owns it, and nobody can tell who that was.
    ['about:blank', false],
    ['blob:http://127.0.0.1:9000/x', false],
  ])('a page at %s is open to tools: %j', (url, isOpen) => {
    const check = () => guard.requireOpen(url);
    if (isOpen) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'address_refused' }));
  });

  it.each<[what: string, urls: [string, number][], open: number[]]>([
    [
      'the page and its frames',
      [
        [SITE, -1],
        ['https://b.example/', 0],
        ['about:blank', 0],
        ['about:srcdoc', 1],
      ],
      [0, 1, 2, 3],
    ],
    [
      'nothing of Forge’s',
      [
        [OWN, -1],
        ['about:blank', 0],
        ['about:srcdoc', 1],
        ['https://b.example/', 0],
      ],
      [],
    ],
    [
      'not a frame of Forge’s, nor what is in it',
      [
        [SITE, -1],
        [OWN, 0],
        ['about:blank', 1],
      ],
      [0],
    ],
    [
      'not an empty page',
      [
        ['about:blank', -1],
        ['about:blank', 0],
      ],
      [],
    ],
    ['not a frame that says it is in itself', [['about:blank', 0]], []],
  ])('in a tab: %s', (_, urls, open) => {
    const list = frames(...urls);
    expect(guard.openFrames(list).map(({ frameId }) => frameId)).toEqual(open);
    for (const { frameId } of list) {
      const check = () => guard.requireFrame(list, frameId);
      if (open.includes(frameId)) expect(check()).toBe(list[frameId]);
      else expect(check).toThrow(expect.objectContaining({ code: 'address_refused' }));
    }
  });

  it('a frame that is gone has not been reached', () => {
    expect(() => guard.requireFrame(frames([SITE, -1]), 7)).toThrow('No frame with id 7');
  });
});
