import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import type { FrameInfo } from '../tabs/page-guard.ts';
import { findFrame } from './find-frame.ts';

type Found = Pick<FrameInfo, 'frameId' | 'url' | 'documentId'>;
const TOP: Found = { frameId: 0, url: 'https://a/', documentId: 'top' };
const INNER: Found = { frameId: 3, url: 'https://b/widget', documentId: 'inner' };
const others = { isOwnPage: (url: string) => url.startsWith('http://127.0.0.1:8403/') };
const signal = new AbortController().signal;

describe('finding a frame', () => {
  it('takes the first that matches, never the page itself, and waits for one that comes late', async () => {
    const clock = manualClock();
    let frames = [TOP];
    const found = findFrame(1, 'https://b/*', signal, { listFrames: () => Promise.resolve(frames), ...others, clock });
    await clock.advance(300);
    frames = [TOP, INNER];
    await clock.advance(100);
    expect(await found).toEqual({ tabId: 1, ...INNER });
  });

  it('S1 never takes a frame of Forge’s own', async () => {
    const clock = manualClock();
    const own = { frameId: 2, url: 'http://127.0.0.1:8403/settings', documentId: 'own' };
    const other = { frameId: 3, url: 'http://127.0.0.1:5000/', documentId: 'other' };
    const listFrames = () => Promise.resolve([TOP, own, other]);
    expect(await findFrame(1, 'http://127.0.0.1/*', signal, { listFrames, ...others, clock })).toEqual({
      tabId: 1,
      ...other,
    });
  });

  it('gives up after five seconds', async () => {
    const clock = manualClock();
    const found = findFrame(1, 'https://a/*', signal, { listFrames: () => Promise.resolve([TOP]), ...others, clock });
    const failed = expect(found).rejects.toMatchObject({ code: 'frame_not_found' });
    await clock.advance(5100);
    await failed;
  });
});
