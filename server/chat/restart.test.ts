import { cpSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../execution/testing/deferred.ts';
import { turn, type LlmTurn } from '../execution/testing/fake-llm/script.ts';
import { tempFolder, testForge } from '../testing/forge.ts';
import { chatClient, chatWorld } from './testing/chat-world.ts';

/** Says a little, and no more until the test is over. */
function halfAnAnswer(): LlmTurn {
  const hold = deferred();
  onTestFinished(hold.resolve);
  return {
    // A word that may go on is not shown yet.
    text: ['The first half ', 'and the second.'],
    beforeDelta: (index) => (index === 1 ? hold.promise : undefined),
  };
}

describe('a restart in the middle of an answer', () => {
  it('leaves the conversation whole: what was said and done, and that Forge was stopped', async () => {
    const env = { FORGE_DATA_DIR: path.join(tempFolder(), 'data') };
    const world = await chatWorld(onTestFinished, env);
    const { llm, forge, newSession, say } = world;
    llm.script([turn.tools({ name: 'tracker__list_issues', args: {} }), halfAnAnswer()]);
    const id = await newSession();
    const { body } = await say(id, 'Tell me');
    const place = `/api/chat/sessions/${id}/messages/${body.assistant_message_id}`;
    const done = { type: 'tool', state: 'done', tool_id: 'tracker.list_issues' };
    const half = { type: 'text', text: 'The first half ' };
    await expect.poll(async () => (await forge.request('GET', place)).body.parts).toMatchObject([done, half]);

    // A picture of the disk as a power cut would leave it.
    const crashed = path.join(tempFolder(), 'data');
    cpSync(forge.dataDir.root, crashed, { recursive: true, filter: (file) => !file.includes('lock') });
    await forge.close();

    const models = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url };
    for (const [folder, message] of [
      [env.FORGE_DATA_DIR, 'Forge was stopped while the task ran'],
      [crashed, 'Forge was stopped while this answer was written'],
    ] as const) {
      const again = chatClient(await testForge({ FORGE_DATA_DIR: folder, ...models }));
      const { session, messages, sites } = await again.get(id);
      expect(session).toMatchObject({ title: 'Tell me', task_id: null });
      expect(messages).toHaveLength(2);
      expect(messages[1]).toMatchObject({
        ...{ status: 'interrupted', error: { code: 'task_interrupted', message }, parts: [done, half] },
      });
      expect(sites).toEqual([world.tracker.host]);
      // It goes on, and the model knows what happened.
      llm.script([turn.text('The second half.')]);
      expect(await again.ask(id, 'Go on')).toMatchObject({ status: 'ok' });
      const heard = llm.requests.at(-1)!.messages.map(({ text }) => text);
      expect(heard.at(-2)).toBe('The first half \n\n[Forge was stopped here; the answer was not finished.]');
      await again.forge.close();
    }
  });

  it('says of a tool that was under way that nobody knows', async () => {
    const env = { FORGE_DATA_DIR: path.join(tempFolder(), 'data') };
    const { llm, forge, tracker, newSession, say, waiting } = await chatWorld(onTestFinished, env);
    const comment = { name: 'tracker__add_comment', args: { text: 'x' } };
    llm.script([turn.tools(comment)]);
    const [waits, runs] = [await newSession(), await newSession()];
    await say(waits, 'Comment');
    await waiting(waits);
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    tracker.answer = () => {
      isAsked();
      return null;
    };
    llm.script([turn.tools({ name: 'tracker__list_issues', args: {} })]);
    const { body } = await say(runs, 'List');
    await asked;
    const place = `/api/chat/sessions/${runs}/messages/${body.assistant_message_id}`;
    await expect.poll(async () => (await forge.request('GET', place)).body.parts.length).toBe(1);
    const crashed = path.join(tempFolder(), 'data');
    cpSync(forge.dataDir.root, crashed, { recursive: true, filter: (file) => !file.includes('lock') });
    await forge.close();
    const models = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url };
    const again = chatClient(await testForge({ FORGE_DATA_DIR: crashed, ...models }));
    expect((await again.get(runs)).messages[1].parts).toMatchObject([{ state: 'unknown', code: 'task_interrupted' }]);
    expect((await again.get(waits)).messages[1].parts).toMatchObject([{ state: 'failed', code: 'task_interrupted' }]);
    llm.script([turn.text('I shall look.')]);
    await again.ask(runs, 'And?');
    expect(llm.requests.at(-1)!.messages.find(({ role }) => role === 'tool')!.text).toContain('not known whether');
  });
});

describe('without a model', () => {
  it('says so at once, and keeps nothing', async () => {
    const { say, newSession, get } = chatClient(await testForge());
    const id = await newSession();
    expect(await say(id, 'Hi')).toMatchObject({ status: 409, body: { error: { code: 'model_not_configured' } } });
    expect((await get(id)).messages).toEqual([]);
  });
});
