import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LlmTurn } from '../execution/testing/fake-llm/script.ts';
import { tempFolder } from '../testing/forge.ts';
import { chatWorld, manyTools, type ChatWorld } from './testing/chat-world.ts';

const calls = (name: string, args: object = {}): LlmTurn => ({ toolCalls: [{ name, args }] });

/** A conversation that has called a tool while all were listed, and then goes over the threshold. */
async function overThreshold(model: string): Promise<ChatWorld & { id: string; offered: () => string[] }> {
  const world = await chatWorld(onTestFinished);
  const { forge, llm, install, newSession, ask } = world;
  const key = { api_key: 'sk-test', base_url: llm.url };
  await forge.request('PUT', '/api/models', { providers: { openai: key, google: key } });
  const id = await newSession();
  llm.script([calls('tracker__list_issues'), { text: 'One is open.' }]);
  await ask(id, 'How many issues are open?', { model });
  const offered = () => llm.requests.at(-1)!.tools.map(({ name }) => name);
  expect(offered()).not.toContain('forge_search_tools');
  await install(manyTools(41), 'many', { base_url: world.tracker.url });
  return { ...world, id, offered };
}

describe.each(['anthropic/claude-fake', 'openai/fake-large', 'google/gemini-fake'])(
  'E-34 a conversation that goes over the threshold, with %s',
  (model) => {
    it('still calls by its name a tool that it has called before', async () => {
      const { llm, tracker, ask, id, offered } = await overThreshold(model);
      tracker.seen.length = 0;
      llm.script([calls('tracker__list_issues'), { text: 'Still one.' }]);
      const answer = await ask(id, 'And now?', { model });
      expect(answer.parts).toMatchObject([
        { type: 'tool', name: 'tracker__list_issues', tool_id: 'tracker.list_issues', state: 'done' },
        { type: 'text', text: 'Still one.' },
      ]);
      expect(tracker.seen).toEqual(['GET /issues']);
      expect(offered()).toEqual(expect.arrayContaining(['forge_search_tools', 'tracker__list_issues']));
      expect(offered()).not.toContain('many__t0');
    });

    it('may call a tool that is not listed by its name', async () => {
      const { llm, tracker, ask, id } = await overThreshold(model);
      tracker.answer = () => '{"said":"seven"}';
      llm.script([calls('many__t7'), calls('many__none'), { text: 'Seven.' }]);
      const answer = await ask(id, 'What does the seventh say?', { model });
      expect(answer.parts).toMatchObject([
        { type: 'tool', tool_id: 'many.t7', state: 'done', result: expect.stringContaining('seven') as string },
        { type: 'tool', state: 'failed', code: 'tool_not_found' },
        { type: 'text', text: 'Seven.' },
      ]);
    });
  },
);

/** A runtime that calls the tool which the message names, and none that it was not given: as most of them do. */
const STRICT = `
const profile = { capabilities: ['streaming'], nativeTools: [], maxConcurrent: 1, outputStrategies: ['stream'], costTier: 'low', latencyProfile: 'fast' };
export const createAdapter = () => ({
  provider: 'strict',
  initialize: async () => undefined,
  shutdown: async () => undefined,
  checkHealth: async () => 'healthy',
  capabilities: () => profile,
  cancel: async () => false,
  execute: async ({ message: name, tools, toolExecutor }) => {
    if (!tools.some((tool) => tool.name === name)) return { status: 'error', error: 'not given', durationMs: 0 };
    await toolExecutor({ id: 'one', name, args: {} });
    return { status: 'ok', output: tools.length + ' tools', durationMs: 0 };
  },
});
`;

it('E-34 a runtime that knows only what it is given keeps the tools of its conversation, and no others', async () => {
  const file = path.join(tempFolder(), 'strict.mjs');
  writeFileSync(file, STRICT);
  const env = { BRIDGE_ADAPTERS: 'custom', CUSTOM_ADAPTER_MODULE: file };
  const { tracker, install, newSession, ask } = await chatWorld(onTestFinished, env);
  const id = await newSession();
  await ask(id, 'tracker__list_issues');
  await install(manyTools(41), 'many', { base_url: tracker.url });
  expect(await ask(id, 'tracker__list_issues')).toMatchObject({ status: 'ok' });
  expect(tracker.seen).toEqual(['GET /issues', 'GET /issues']);
  expect(await ask(id, 'mail__inbox')).toMatchObject({ status: 'error' });
  expect(await ask(await newSession(), 'tracker__list_issues')).toMatchObject({ status: 'error' });
});

it('E-34 a connector that comes while an answer is written takes no tool away', async () => {
  const { llm, tracker, install, newSession, ask } = await chatWorld(onTestFinished);
  const script = [calls('tracker__list_issues'), calls('tracker__list_issues'), { text: 'Two.' }];
  llm.script(async (_request, index) => {
    if (index === 1) await install(manyTools(41), 'many', { base_url: tracker.url });
    return script[index]!;
  });
  const answer = await ask(await newSession(), 'Count twice.');
  expect(answer.parts).toMatchObject([{ state: 'done' }, { state: 'done' }, { text: 'Two.' }]);
  expect(tracker.seen).toEqual(['GET /issues', 'GET /issues']);
});
