import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { loadPage, type PageEvent, type Progress } from './page-load.ts';

function setUp(progress: Progress = 'loading', start?: () => Promise<Progress>) {
  const clock = manualClock();
  const stop = new AbortController();
  let listener: ((event: PageEvent) => void) | null = null;
  let isLoading = true;
  const outcome: { value: string } = { value: 'waiting' };
  const events = {
    listen: (_: number, callback: (event: PageEvent) => void) => {
      listener = callback;
      return () => (listener = null);
    },
  };
  const deps = { events, clock, signal: stop.signal, isLoading: () => isLoading };
  loadPage(1, start ?? (() => Promise.resolve(progress)), deps).then(
    () => (outcome.value = 'loaded'),
    (error: unknown) =>
      (outcome.value = error instanceof ForgeError ? `${error.code} ${error.message}` : String(error)),
  );
  return {
    clock,
    stop,
    outcome,
    isListening: () => listener !== null,
    finishLoading: () => (isLoading = false),
    tell: async (event: PageEvent, ms = 0) => {
      listener?.(event);
      await clock.advance(ms);
    },
  };
}

const url = 'https://a/';

describe('waiting for a page', () => {
  it('C-108 waits for the load, and a moment longer for redirects by script', async () => {
    const { tell, outcome, clock, isListening } = setUp();
    await tell({ kind: 'started' });
    await tell({ kind: 'committed', url });
    await tell({ kind: 'parsed' });
    await tell({ kind: 'loaded' }, 59);
    expect(outcome.value).toBe('waiting');
    await tell({ kind: 'started' }, 1000);
    await tell({ kind: 'committed', url: 'https://a/b' }, 1000);
    expect(outcome.value).toBe('waiting');
    await tell({ kind: 'loaded' }, 60);
    expect(outcome.value).toBe('loaded');
    expect(isListening()).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('a page that was complete before anybody listened is loaded', async () => {
    const { clock, outcome } = setUp('loaded');
    await clock.advance(60);
    expect(outcome.value).toBe('loaded');
  });

  it('W-12 the empty page that a new tab begins with is no arrival, unless it stays', async () => {
    for (const { tell, outcome, clock } of [setUp(), setUp('blank')]) {
      await tell({ kind: 'committed', url: 'about:blank' });
      await tell({ kind: 'blank' }, 5000);
      await tell({ kind: 'started' });
      await tell({ kind: 'committed', url }, 20_000);
      expect(outcome.value).toBe('waiting');
      await tell({ kind: 'loaded' }, 60);
      expect([outcome.value, clock.pending]).toEqual(['loaded', 0]);
    }
    const stays = setUp('blank');
    await stays.clock.advance(10_000);
    expect(stays.outcome.value).toBe('loaded');
  });

  it('a change of the fragment alone is an arrival, one during a load is not', async () => {
    const fragment = setUp();
    await fragment.tell({ kind: 'moved', url: 'https://a/#x' }, 60);
    expect(fragment.outcome.value).toBe('loaded');
    const loading = setUp();
    await loading.tell({ kind: 'started' });
    await loading.tell({ kind: 'moved', url }, 5000);
    expect(loading.outcome.value).toBe('waiting');
  });

  it('a page that keeps changing its address settles all the same', async () => {
    const { tell, outcome } = setUp();
    await tell({ kind: 'loaded' }, 20);
    for (let turn = 0; turn < 4; turn += 1) await tell({ kind: 'moved', url }, 20);
    expect(outcome.value).toBe('loaded');
  });

  it('a page that only lacks a picture is taken after ten seconds, also when nobody saw it start', async () => {
    const seen = setUp();
    await seen.tell({ kind: 'committed', url });
    await seen.tell({ kind: 'parsed' }, 9999);
    expect(seen.outcome.value).toBe('waiting');
    await seen.clock.advance(1);
    expect(seen.outcome.value).toBe('loaded');
    const found = setUp('parsed');
    await found.clock.advance(10_000);
    expect(found.outcome.value).toBe('loaded');
  });

  it('tells what the browser says about a page that cannot be loaded', async () => {
    const { tell, outcome } = setUp();
    await tell({ kind: 'failed', error: 'net::ERR_NAME_NOT_RESOLVED' });
    expect(outcome.value).toBe('page_error The page could not be loaded: net::ERR_NAME_NOT_RESOLVED.');
  });

  it('an aborted navigation counts only when no other takes its place', async () => {
    const replaced = setUp();
    await replaced.tell({ kind: 'started' });
    await replaced.tell({ kind: 'failed', error: 'net::ERR_ABORTED' }, 3000);
    expect(replaced.outcome.value).toBe('waiting');
    await replaced.tell({ kind: 'committed', url });
    await replaced.tell({ kind: 'loaded' }, 60);
    expect(replaced.outcome.value).toBe('loaded');
    const download = setUp();
    await download.tell({ kind: 'failed', error: 'net::ERR_ABORTED' });
    download.finishLoading();
    await download.clock.advance(500);
    expect(download.outcome.value).toContain('page_error');
  });

  it('ends with the tab, with the call, and with a start that fails', async () => {
    const closed = setUp();
    await closed.tell({ kind: 'closed' });
    expect(closed.outcome.value).toContain('tab_closed');
    const stopped = setUp();
    stopped.stop.abort(new ForgeError('cancelled', 'Stopped.'));
    await stopped.clock.advance(0);
    expect(stopped.outcome.value).toBe('cancelled Stopped.');
    expect(stopped.isListening()).toBe(false);
    const failed = setUp('loading', () => Promise.reject(new Error('no such tab')));
    await failed.clock.advance(0);
    expect(failed.outcome.value).toContain('no such tab');
  });
});
