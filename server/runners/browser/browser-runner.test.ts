import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../../shared/errors.ts';
import { bridgeWorld } from '../../bridge/testing/bridge-world.ts';
import { runParams } from '../../bridge/testing/run-params.ts';
import type { Ask, BrowserJob } from '../job.ts';
import { createBrowserRunner } from './browser-runner.ts';

const { acquire } = runParams();
const JOB: BrowserJob = {
  protocol: 'browser',
  connector: 'demo',
  tool: 'read',
  title: 'Demo: read',
  acquire,
  runner: 'isolated',
  frame: null,
  script: 'return args.a',
  args: '{"a":1}',
  settings: '{}',
  timeoutMs: 7000,
  expect: { ok_status: [404], selector: '#list' },
  mayJoin: true,
  look: 'page',
};

/** A question that is answered as a test says; `closed` is what became of it in the browser. */
function question() {
  const closed: (boolean | null | 'left')[] = [];
  let decide = (_approved: boolean): void => undefined;
  const ask: Ask = {
    reason: 'It deletes something.',
    remember: () => undefined,
    put: (onDecided) => {
      decide = onDecided;
      return {
        id: 'apr_1',
        close: (answer) => closed.push(answer),
        leave: () => closed.push('left'),
        declined: () => null,
      };
    },
  };
  return { ask, closed, decide: (approved: boolean) => decide(approved) };
}

async function world() {
  const { pair, router, clock } = await bridgeWorld();
  const { extension, id } = await pair();
  return {
    extension,
    id,
    clock,
    runner: createBrowserRunner(router, { approvalMs: 120_000 }),
    signal: new AbortController().signal,
  };
}

describe('the browser runner', () => {
  it('C-02 D-09 sends the job, and hands over the text that came back', async () => {
    const { extension, runner, signal } = await world();
    const response = runner.run(JOB, { signal, callId: 'call_42' });
    const asked = await extension.nextAsked();
    expect(asked.params).toEqual({
      call_id: 'call_42',
      connector: 'demo',
      tool: 'read',
      title: 'Demo: read',
      acquire,
      runner: 'isolated',
      frame: null,
      script: 'return args.a',
      args: '{"a":1}',
      settings: '{}',
      timeout_ms: 7000,
      max_result_bytes: 32 * 1024 * 1024,
      expect: { ok_status: [404], selector: '#list' },
      may_join: true,
      approval: null,
    });
    asked.reply({ url: 'https://demo.test/end', timings: { acquire: 1.5, run: 2 } }, '{"not": "touched"}');
    expect(await response).toEqual({
      kind: 'browser',
      url: 'https://demo.test/end',
      text: '{"not": "touched"}',
      timings: { acquire: 1.5, run: 2 },
    });
  });

  it('C-44 a script that returns nothing returns null', async () => {
    const { extension, runner, signal } = await world();
    const response = runner.run(JOB, { signal });
    (await extension.nextAsked()).reply({ url: 'https://demo.test/', timings: {} });
    expect(await response).toMatchObject({ text: 'null' });
  });

  it('C-37 K-10 asks a person in the browser when it is told why, and waits for them', async () => {
    const { extension, runner, signal, clock } = await world();
    const told: string[] = [];
    const { ask, closed } = question();
    const response = runner.run(JOB, {
      ...{ signal, ask, callId: 'call_42' },
      onOutput: (_stream, text) => told.push(text),
      onAsked: (id, reason) => told.push(`${id} ${reason}`),
    });
    const asked = await extension.nextAsked();
    expect(asked.params).toMatchObject({
      timeout_ms: 7000,
      approval: { reason: 'It deletes something.', timeout_ms: 120_000, look: 'page' },
    });
    // Nobody is asked anywhere before the browser has looked at the login.
    expect(told).toEqual([]);
    for (let time = 0; time < 2; time += 1) extension.asking({ call_id: 'call_42', state: 'asked' });
    await extension.settled();
    expect(told).toEqual([
      'Waiting for an answer in a window of the browser.\nTo answer without it: forge approvals approve apr_1\n',
      'apr_1 It deletes something.',
    ]);
    clock.advance(15_000);
    await extension.settled();
    clock.advance(15_000);
    extension.asking({ call_id: 'call_42', state: 'approved' });
    asked.returns('after a while');
    expect(await response).toMatchObject({ text: '"after a while"' });
    expect(closed[0]).toBe(true);
  });

  it.each([true, false])('K-10 hands the browser an answer that was given elsewhere: %s', async (approved) => {
    const { extension, runner, signal } = await world();
    const { ask, decide } = question();
    const response = runner.run(JOB, { signal, ask, callId: 'call_42' });
    const asked = await extension.nextAsked();
    extension.asking({ call_id: 'call_42', state: 'asked' });
    await extension.settled();
    decide(approved);
    expect(await extension.nextDecided()).toEqual({ call_id: 'call_42', approved });
    asked.returns(1);
    await response;
  });

  it('K-10 a caller who comes back with the answer leaves the question open', async () => {
    const { extension, runner } = await world();
    const { ask, closed } = question();
    const stop = new AbortController();
    const context = { signal: stop.signal, ask, callId: 'call_42' };
    const failed = expect(runner.run(JOB, context)).rejects.toMatchObject({ code: 'approval_required' });
    await extension.nextAsked();
    extension.asking({ call_id: 'call_42', state: 'asked' });
    await extension.settled();
    stop.abort(new ForgeError('approval_required', 'Later.'));
    await failed;
    expect([closed, await extension.nextCancelled()]).toEqual([['left'], 'call_42']);
  });

  it.each([
    ['approval_denied', [false]],
    ['login_required', [null]],
  ])('K-10 a call that ends with %s closes its question with %j', async (code, expected) => {
    const { extension, runner, signal } = await world();
    const { ask, closed } = question();
    const failed = expect(runner.run(JOB, { signal, ask, callId: 'call_42' })).rejects.toMatchObject({ code });
    const asked = await extension.nextAsked();
    extension.asking({ call_id: 'call_42', state: 'asked' });
    asked.fails({ code, message: 'why' });
    await failed;
    expect(closed).toEqual(expected);
  });

  it.each(['approval_denied', 'approval_expired', 'login_required', 'permission_missing', 'user_scripts_off'])(
    'K-10 keeps the browser’s own code %s',
    async (code) => {
      const { extension, runner, signal } = await world();
      const failed = expect(runner.run(JOB, { signal })).rejects.toMatchObject({ code, message: 'why' });
      (await extension.nextAsked()).fails({ code, message: 'why' });
      await failed;
    },
  );

  it('C-48 a throw comes with its message and its line', async () => {
    const { extension, runner, signal } = await world();
    const failed = expect(runner.run(JOB, { signal })).rejects.toMatchObject({
      code: 'script_failed',
      message: 'TypeError: x is undefined (line 3 of the script)',
      details: { line: 3 },
    });
    (await extension.nextAsked()).fails({
      code: 'script_failed',
      message: 'TypeError: x is undefined (line 3 of the script)',
      details: { line: 3 },
    });
    await failed;
  });

  it('K-55 goes to the browser it is told', async () => {
    const { extension, runner, signal, id } = await world();
    const response = runner.run(JOB, { signal, browser: id });
    (await extension.nextAsked()).returns(1);
    expect(await response).toMatchObject({ text: '1' });
    await expect(runner.run(JOB, { signal, browser: 'Nobody' })).rejects.toMatchObject({ code: 'browser_not_found' });
  });

  it('a text larger than was asked for is refused', async () => {
    const { extension, runner, signal } = await world();
    const failed = expect(runner.run(JOB, { signal })).rejects.toMatchObject({ code: 'result_too_large' });
    (await extension.nextAsked()).reply(
      { url: 'https://demo.test/', timings: {} },
      `"${'x'.repeat(32 * 1024 * 1024)}"`,
    );
    await failed;
  });
});
