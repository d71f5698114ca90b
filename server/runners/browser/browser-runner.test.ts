import { describe, expect, it } from 'vitest';
import { bridgeWorld } from '../../bridge/testing/bridge-world.ts';
import { runParams } from '../../bridge/testing/run-params.ts';
import type { BrowserJob } from '../job.ts';
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
};

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
    const response = runner.run(JOB, {
      ...{ signal, ask: { reason: 'It deletes something.', remember: () => undefined } },
      onOutput: (_stream, text) => told.push(text),
    });
    const asked = await extension.nextAsked();
    expect(told).toEqual(['Waiting for an answer in a window of the browser.\n']);
    expect(asked.params).toMatchObject({
      timeout_ms: 7000,
      approval: { reason: 'It deletes something.', timeout_ms: 120_000 },
    });
    clock.advance(15_000);
    await extension.settled();
    clock.advance(15_000);
    asked.returns('after a while');
    expect(await response).toMatchObject({ text: '"after a while"' });
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
