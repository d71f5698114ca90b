import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { findFrame, type FrameInfo } from './find-frame.ts';

const TOP: FrameInfo = { frameId: 0, url: 'https://a/', documentId: 'top' };
const INNER: FrameInfo = { frameId: 3, url: 'https://b/widget', documentId: 'inner' };
const signal = new AbortController().signal;

describe('finding a frame', () => {
  it('takes the first that matches, never the page itself, and waits for one that comes late', async () => {
    const clock = manualClock();
    let frames = [TOP];
    const found = findFrame(1, 'https://b/*', signal, { listFrames: () => Promise.resolve(frames), clock });
    await clock.advance(300);
    frames = [TOP, INNER];
    await clock.advance(100);
    expect(await found).toEqual({ tabId: 1, ...INNER });
  });

  it('gives up after five seconds', async () => {
    const clock = manualClock();
    const found = findFrame(1, 'https://a/*', signal, { listFrames: () => Promise.resolve([TOP]), clock });
    const failed = expect(found).rejects.toMatchObject({ code: 'frame_not_found' });
    await clock.advance(5100);
    await failed;
  });
});
