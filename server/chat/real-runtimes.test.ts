// Runs where the packages of the runtimes are installed: `npm run test:runtimes`, or FORGE_RUNTIMES=<folder>.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentValue } from '../config.ts';
import { deferred } from '../execution/testing/deferred.ts';
import type { LlmRequest, LlmScript, LlmTurn } from '../execution/testing/fake-llm/script.ts';
import { tempFolder } from '../testing/forge.ts';
import { chatWorld, manyTools, type ChatWorld } from './testing/chat-world.ts';

interface Runtime {
  adapter: string;
  model: string;
  protocol: LlmRequest['protocol'];
  /** How the runtime tells its model of a tool of Forge's. */
  toolName: (name: string) => string;
}

const RUNTIMES: Runtime[] = [
  {
    adapter: 'claude-agent-sdk',
    model: 'anthropic/claude-fake',
    protocol: 'anthropic',
    toolName: (name) => `mcp__forge__${name}`,
  },
  { adapter: 'langgraph', model: 'anthropic/claude-fake', protocol: 'anthropic', toolName: (name) => name },
  { adapter: 'langgraph', model: 'openai/fake-large', protocol: 'openai-chat', toolName: (name) => name },
  { adapter: 'langgraph', model: 'google/gemini-fake', protocol: 'google', toolName: (name) => name },
];

describe.each(RUNTIMES)('E-39 K-24 the real $adapter with $protocol', ({ adapter, model, protocol, toolName }) => {
  const endings: (() => Promise<void> | void)[] = [];
  let world: ChatWorld;

  beforeAll(async () => {
    const atEnd = (end: () => Promise<void> | void) => void endings.unshift(end);
    const home = path.join(tempFolder(atEnd), 'home');
    mkdirSync(home);
    const runtimes = environmentValue('FORGE_RUNTIMES') ?? '';
    world = await chatWorld(atEnd, { BRIDGE_ADAPTERS: adapter, FORGE_RUNTIMES: runtimes, HOME: home });
    const openai = { api_key: 'sk-test', base_url: world.llm.url };
    await world.forge.request('PUT', '/api/models', { providers: { openai, google: openai } });
  });

  afterAll(async () => {
    for (const end of endings) await end();
  });

  /** Runtimes ask models about other things, too, such as a title; only what offers the tools is the conversation. */
  const script = (turns: readonly LlmTurn[]): LlmScript => {
    let used = 0;
    return ({ tools }) => {
      const isConversation = tools.some(({ name }) => name === toolName('tracker__list_issues'));
      return isConversation ? (turns[Math.min(used++, turns.length - 1)] ?? {}) : { text: 'Something else.' };
    };
  };

  it('is there, and answers in a conversation', async () => {
    const { forge, llm, newSession, ask } = world;
    const { body } = await forge.request('GET', '/api/v2/gateways');
    expect(body.gateways).toMatchObject([{ provider: adapter, status: 'healthy' }]);
    llm.script(script([{ text: 'Two are open.' }]));
    const id = await newSession();
    const answer = await ask(id, 'How many issues are open?', { model });
    expect(answer).toMatchObject({
      ...{ status: 'ok', error: null, parts: [{ type: 'text', text: 'Two are open.' }] },
    });
    expect(answer.cost_usd).toBeNull();
    // LangChain adds the token that Anthropic counts when a message begins.
    expect(20 <= answer.usage.output_tokens && answer.usage.output_tokens <= 21).toBe(true);
    expect(llm.requests.at(-1)).toMatchObject({ protocol, model: model.split('/')[1] });
    // Whatever tools a runtime brings along are not on offer.
    expect(llm.requests.at(-1)!.tools.filter(({ name }) => !name.startsWith(toolName('')))).toEqual([]);
    llm.script(script([{ text: 'Still two.' }]));
    await ask(id, 'And now?', { model });
    expect(JSON.stringify(llm.requests.at(-1)!.messages)).toContain('Two are open.');
  });

  it('has its tools carried out by Forge, and waits for a person’s yes', async () => {
    const { llm, tracker, newSession, say, waiting, decide, ended } = world;
    tracker.answer = () => JSON.stringify([{ id: 1, title: 'Leak' }]);
    llm.script(
      script([
        { toolCalls: [{ name: toolName('tracker__list_issues'), args: {} }] },
        { toolCalls: [{ name: toolName('tracker__add_comment'), args: { text: 'Seen.' } }] },
        { text: 'I have commented.' },
      ]),
    );
    const id = await newSession();
    const { body } = await say(id, 'Comment on the leak.', { model });
    const approval = await waiting(id);
    expect(approval).toMatchObject({ tool_id: 'tracker.add_comment', args: { text: 'Seen.' } });
    expect(tracker.seen.filter((line) => line.startsWith('POST'))).toEqual([]);
    await decide(approval.id, { decision: 'approve' });
    const answer = await ended(id, body.assistant_message_id);
    expect(answer).toMatchObject({ status: 'ok', error: null });
    expect(answer.parts).toMatchObject([
      { type: 'tool', tool_id: 'tracker.list_issues', state: 'done' },
      { type: 'tool', tool_id: 'tracker.add_comment', state: 'done' },
      { type: 'text', text: 'I have commented.' },
    ]);
    expect(tracker.seen.filter((line) => line.startsWith('POST'))).toEqual(['POST /comments {"text":"Seen."}']);
    const told = llm.requests.at(-1)!.messages.filter(({ role }) => role === 'tool');
    expect(told.map(({ text }) => text).join()).toContain('Leak');
  });

  it('E-34 keeps the tool it has called when the conversation goes over the threshold', async () => {
    const { forge, llm, tracker, install, newSession, ask } = world;
    tracker.answer = () => JSON.stringify([{ id: 1, title: 'Leak' }]);
    const lists = { toolCalls: [{ name: toolName('tracker__list_issues'), args: {} }] };
    llm.script(script([lists, { text: 'One.' }]));
    const id = await newSession();
    await ask(id, 'How many issues are open?', { model });
    await install(manyTools(41), 'many', { base_url: tracker.url });
    try {
      llm.script(script([lists, { text: 'Still one.' }]));
      const answer = await ask(id, 'And now?', { model });
      expect(answer.parts).toMatchObject([
        { type: 'tool', tool_id: 'tracker.list_issues', state: 'done' },
        { type: 'text', text: 'Still one.' },
      ]);
      const offered = llm.requests.flatMap(({ tools }) => tools.map(({ name }) => name));
      expect(offered).toContain(toolName('forge_search_tools'));
      expect(offered).not.toContain(toolName('many__t0'));
    } finally {
      await forge.request('DELETE', '/api/connectors/many?settings=delete');
    }
  });

  it('stops when it is told to', async () => {
    const { forge, llm, newSession, say, ended } = world;
    const [reached, never] = [deferred(), deferred()];
    llm.script(
      script([
        {
          text: ['Half ', 'an answer'],
          beforeDelta: (index) => {
            if (index === 0) return undefined;
            reached.resolve();
            return never.promise;
          },
        },
      ]),
    );
    const id = await newSession();
    const { body } = await say(id, 'Tell me all.', { model });
    await reached.promise;
    const before = llm.abandoned();
    expect((await forge.request('POST', `/api/tasks/${body.task_id}/cancel`)).body).toMatchObject({ cancelled: true });
    expect(await ended(id, body.assistant_message_id)).toMatchObject({
      ...{ status: 'cancelled', error: { code: 'cancelled' } },
    });
    // The runtime has let go of its model, too.
    await expect.poll(() => llm.abandoned()).toBeGreaterThan(before);
    never.resolve();
  });
});
