import { describe, expect, it } from 'vitest';
import type { Run } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createApprovalDesk } from './desk.ts';
import type { Answer, ApprovalRequest } from './request.ts';

const YES: Answer = { approved: true, longer: null };
const NO: Answer = { approved: false };

function setUp() {
  const clock = manualClock();
  const windows: { request: ApprovalRequest; answer: (said: Answer) => void; fail: () => void; isClosed: boolean }[] =
    [];
  const allowed: unknown[] = [];
  const told: string[] = [];
  const counts: number[] = [];
  const focused: string[] = [];
  const desk = createApprovalDesk({
    clock,
    newId: () => `q${windows.length}`,
    openWindow: (request) => {
      let settle = (_: Answer): void => undefined;
      let fail = (): void => undefined;
      const answer = new Promise<Answer>((resolve, reject) => {
        settle = resolve;
        fail = () => reject(new Error('the window is gone'));
      });
      const window = { request, answer: settle, fail, isClosed: false };
      windows.push(window);
      return { answer, focus: () => focused.push(request.title), close: () => (window.isClosed = true) };
    },
    say: (method, params) => {
      if (method === 'asking') told.push(`${params.state} ${params.call_id}`);
      else allowed.push(params);
    },
    onChange: () => counts.push(desk.waiting()),
  });
  const stop = new AbortController();
  const ask = (title: string, timeoutMs = 1000, more: Partial<NonNullable<Run['approval']>> = {}) => {
    const call = {
      call_id: `call of ${title}`,
      title,
      connector: 'jira',
      tool: 'comment',
      args: '{"text":"x"}',
      script: 's',
      acquire: { url: null, host_match: 'https://a/*' },
      approval: { reason: 'why', timeout_ms: timeoutMs, ...more },
    } as Run; // the parts a question shows
    return desk.ask(call, stop.signal).then(
      () => 'yes',
      (error: unknown) => (error instanceof ForgeError ? error.code : String(error)),
    );
  };
  return { clock, windows, ask, stop, allowed, told, desk, counts, focused };
}

describe('K-10 asking the person', () => {
  it('shows the real arguments; only an approval is a yes', async () => {
    const { clock, windows, ask } = setUp();
    const yes = ask('Add a comment');
    await clock.advance(0);
    expect(windows[0]?.request).toMatchObject({
      title: 'Add a comment',
      args: '{"text":"x"}',
      site: 'https://a/*',
      reason: 'why',
    });
    windows[0]!.answer(YES);
    expect(await yes).toBe('yes');
    expect(windows[0]!.isClosed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it.each([
    [true, 'yes'],
    [false, 'approval_denied'],
  ])('an answer that is given elsewhere first decides (%s), and the window closes', async (approved, outcome) => {
    const { clock, windows, ask, desk, told } = setUp();
    const asked = ask('x', 1000, { look: 'page' });
    await clock.advance(0);
    expect(told).toEqual(['asked call of x']);
    desk.decide('call of y', true);
    desk.decide('call of x', approved);
    expect(await asked).toBe(outcome);
    await clock.advance(0);
    expect([windows[0]?.isClosed, clock.pending, desk.waiting()]).toEqual([true, 0, 0]);
    // The window was late, and what it says counts for nothing.
    windows[0]!.answer(approved ? NO : YES);
    await clock.advance(0);
    expect(told).toEqual(['asked call of x']);
  });

  it('a question that is answered elsewhere before its turn opens no window', async () => {
    const { clock, windows, ask, desk } = setUp();
    const first = ask('first', 1000, { look: 'page' });
    const second = ask('second', 1000, { look: 'page' });
    await clock.advance(0);
    desk.decide('call of second', true);
    expect(await second).toBe('yes');
    windows[0]!.answer(YES);
    expect(await first).toBe('yes');
    await clock.advance(0);
    expect(windows).toHaveLength(1);
  });

  it('tells the server what was answered here, if it wants to know', async () => {
    const { clock, windows, ask, told } = setUp();
    for (const [answer, more] of [
      [YES, { look: 'page' }],
      [NO, { look: 'site' }],
      [YES, {}],
    ] as const) {
      const asked = ask('x', 1000, more);
      await clock.advance(0);
      windows.at(-1)!.answer(answer);
      await asked;
    }
    expect(told).toEqual(['asked call of x', 'approved call of x', 'asked call of x', 'denied call of x']);
  });

  it('a yes for longer is told once, with its limits; every other answer is for one call', async () => {
    const { clock, windows, ask, allowed } = setUp();
    for (const answer of [{ approved: true, longer: { maxUses: 5, forMs: 60_000 } }, YES, NO] as const) {
      const asked = ask('x');
      await clock.advance(0);
      windows.at(-1)!.answer(answer);
      expect(await asked).toBe(answer.approved ? 'yes' : 'approval_denied');
    }
    expect(allowed).toEqual([{ call_id: 'call of x', max_uses: 5, for_ms: 60_000 }]);
  });

  it('a yes that is for one call alone cannot be for longer', async () => {
    const { clock, windows, ask, allowed } = setUp();
    const answer = ask('x', 1000, { once: true });
    await clock.advance(0);
    expect(windows[0]?.request.isOnce).toBe(true);
    windows[0]!.answer({ approved: true, longer: { maxUses: 5, forMs: 60_000 } });
    expect(await answer).toBe('yes');
    expect(allowed).toEqual([]);
  });

  it.each(['deny', 'lose the window'])('to %s is a no', async (how) => {
    const { clock, windows, ask } = setUp();
    const answer = ask('x');
    await clock.advance(0);
    if (how === 'deny') windows[0]!.answer(NO);
    else windows[0]!.fail();
    expect(await answer).toBe('approval_denied');
  });

  it('no answer is a no, and a cancelled call takes its window with it', async () => {
    const { clock, windows, ask, stop } = setUp();
    const late = ask('x');
    await clock.advance(1000);
    expect(await late).toBe('approval_expired');
    expect(windows[0]!.isClosed).toBe(true);
    windows[0]!.answer(YES);
    const cancelled = ask('y');
    await clock.advance(0);
    stop.abort(new ForgeError('cancelled', 'Stopped.'));
    expect(await cancelled).toBe('cancelled');
    expect(windows[1]!.isClosed).toBe(true);
  });

  it('asks one question at a time, and none whose time is over', async () => {
    const { clock, windows, ask } = setUp();
    const answers = [ask('a', 5000), ask('b', 1000), ask('c', 5000)];
    await clock.advance(2000);
    expect(windows.map(({ request }) => request.title)).toEqual(['a']);
    windows[0]!.answer(YES);
    await clock.advance(0);
    expect(windows.map(({ request }) => request.title)).toEqual(['a', 'c']);
    windows[1]!.answer(NO);
    expect(await Promise.all(answers)).toEqual(['yes', 'approval_expired', 'approval_denied']);
  });

  it('counts the questions that wait, and brings the one that is asked to the front', async () => {
    const { windows, ask, desk, counts, focused } = setUp();
    desk.focus();
    const answers = [ask('first'), ask('second')];
    await expect.poll(() => windows.length).toBe(1);
    desk.focus();
    windows[0]?.answer(YES);
    await expect.poll(() => windows.length).toBe(2);
    desk.focus();
    windows[1]?.answer(NO);
    expect(await Promise.all(answers)).toEqual(['yes', 'approval_denied']);
    expect([counts, focused, desk.waiting()]).toEqual([[1, 2, 1, 0], ['first', 'second'], 0]);
  });
});
