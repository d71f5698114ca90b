import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import type { PageEvent } from '../tabs/page-load.ts';
import { endWithPage } from './end-with-page.ts';

const committed: PageEvent = { kind: 'committed', url: 'https://a/' };

function setUp() {
  const clock = manualClock();
  const listeners = new Set<(event: PageEvent) => void>();
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const run = new Promise<string>((...settlers) => ([resolve, reject] = settlers));
  const events = {
    listen: (_: number, callback: (event: PageEvent) => void) => {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
  };
  const outcome = { value: 'waiting' };
  endWithPage(1, () => run, { events, clock }).then(
    (value) => (outcome.value = value),
    (error: unknown) => (outcome.value = String(error)),
  );
  return {
    clock,
    resolve,
    reject,
    outcome,
    listeners,
    tell: (event: PageEvent) => listeners.forEach((listen) => listen(event)),
  };
}

describe('a script and its page', () => {
  it.each([[committed], [{ kind: 'closed' }] as [PageEvent]])('ends when the page is gone: %j', async (event) => {
    const { clock, outcome, listeners, tell } = setUp();
    tell(event);
    await clock.advance(299);
    expect(outcome.value).toBe('waiting');
    await clock.advance(1);
    expect(outcome.value).toContain('left the page');
    expect(listeners.size).toBe(0);
  });

  it('takes a result that was under way, and no other event for an end', async () => {
    const { clock, outcome, resolve, listeners, tell } = setUp();
    tell({ kind: 'moved', url: 'https://a/#b' });
    await clock.advance(1000);
    tell(committed);
    resolve('value');
    await clock.advance(1000);
    expect(outcome.value).toBe('value');
    expect(listeners.size + clock.pending).toBe(0);
  });

  it.each([
    ['An unexpected error occurred', true, /left the page/],
    ['An unexpected error occurred', false, /An unexpected error/],
    ['Missing host permission for the tab', false, /Missing host permission/],
  ])('when the browser says %j, and the tab is closed: %j', async (said, isClosed, expected) => {
    const { clock, outcome, reject, tell } = setUp();
    reject(new Error(said));
    await clock.advance(10);
    if (isClosed) tell({ kind: 'closed' });
    await clock.advance(300);
    expect(outcome.value).toMatch(expected);
  });
});
