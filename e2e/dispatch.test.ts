import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeLlm } from '../server/execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../server/execution/testing/fake-llm/script.ts';
import { startForgeProcess, tempFolder } from './testing/forge-process.ts';

describe('E-39 tasks in the built server', () => {
  it('asks models of every kind, and tells honestly what a kill has interrupted', async () => {
    const llm = await fakeLlm([turn.text('Hello.')]);
    const dataDir = path.join(tempFolder(), 'data');
    const env = {
      ...{
        ANTHROPIC_API_KEY: 'sk-test',
        ANTHROPIC_BASE_URL: llm.url,
        OPENAI_API_KEY: 'sk-test',
        OPENAI_BASE_URL: llm.url,
      },
      ...{
        OPENAI_COMPATIBLE_BASE_URL: llm.url,
        OPENAI_COMPATIBLE_MODEL: 'local',
        BRIDGE_ADAPTERS: 'vercel-ai,acme-ai',
      },
    };
    const first = await startForgeProcess(dataDir, env);
    const run = async (body: object) =>
      (await first.call('POST', '/api/v2/dispatch', { message: 'Hi', ...body })).json();
    for (const model of ['anthropic', 'openai', 'openai-compatible'])
      expect(await run({ model, wait: true })).toMatchObject({ status: 'ok', output: 'Hello.', modelProvider: model });
    expect(await run({ gateway: 'acme-ai', wait: true })).toMatchObject({ status: 'ok', provider: 'acme-ai' });
    expect(await (await first.call('GET', '/api/health')).json()).toMatchObject({
      adapters: { 'vercel-ai': { status: 'healthy' }, 'acme-ai': { status: 'degraded' } },
    });

    let reached = (): void => undefined;
    const held = new Promise<void>((resolve) => (reached = resolve));
    llm.script(() => {
      reached();
      return { text: 'Never', beforeDelta: () => new Promise<void>(() => undefined) };
    });
    await run({ taskId: 'held' });
    await held;
    first.child.kill('SIGKILL');
    await first.exited;

    const second = await startForgeProcess(dataDir, env);
    expect(await (await second.call('GET', '/api/v2/tasks/held')).json()).toMatchObject({
      status: 'interrupted',
      result: { status: 'error', errorCode: 'task_interrupted' },
    });
  });
});
