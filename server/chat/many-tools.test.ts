import { onTestFinished, describe, expect, it } from 'vitest';
import type { LlmTurn } from '../execution/testing/fake-llm/script.ts';
import { chatWorld, type ChatWorld } from './testing/chat-world.ts';

/** More tools than models are shown one by one. */
const MANY = `id: many
name: Many
version: "1.0.0"
description: Forty-one tools.
settings: { base_url: { required: true } }
tools:
${Array.from({ length: 41 }, (_, n) => `  t${n}: { description: Tool ${n}., protocol: http, request: { url: '{base_url}/t${n}' } }`).join('\n')}
`;

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
  await install(MANY, 'many', { base_url: world.tracker.url });
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

it('E-34 a connector that comes while an answer is written takes no tool away', async () => {
  const { llm, tracker, install, newSession, ask } = await chatWorld(onTestFinished);
  const script = [calls('tracker__list_issues'), calls('tracker__list_issues'), { text: 'Two.' }];
  llm.script(async (_request, index) => {
    if (index === 1) await install(MANY, 'many', { base_url: tracker.url });
    return script[index]!;
  });
  const answer = await ask(await newSession(), 'Count twice.');
  expect(answer.parts).toMatchObject([{ state: 'done' }, { state: 'done' }, { text: 'Two.' }]);
  expect(tracker.seen).toEqual(['GET /issues', 'GET /issues']);
});
