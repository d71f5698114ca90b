import { describe, expect, it } from 'vitest';
import { fakeLlm } from '../execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../execution/testing/fake-llm/script.ts';
import { pairExtension } from '../testing/paired-extension.ts';
import { upstream } from '../testing/upstream.ts';
import { watchWorld } from '../watches/testing/watch-world.ts';
import { chatClient } from './testing/chat-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_done: { message: 'Build {poll.build}.' } }`;
const roles = ({ messages }: { messages: { role: string }[] }) => messages.map(({ role }) => role);

describe('C-141 what a watch reports', () => {
  it('comes into the conversation that started it, once, with the words of the model beside it', async () => {
    const llm = await fakeLlm([turn.tools({ name: 'jobs__start', args: {} }), turn.text('It has begun.')]);
    const world = await watchWorld(BLOCK, '', { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
    const client = chatClient(world.forge);
    const id = await client.newSession();
    await client.ask(id, 'Start the build');
    const { body } = await world.forge.request('GET', `/api/watches?session=${id}`);
    expect(body.watches).toMatchObject([{ tool_id: 'jobs.start', session_id: id, state: 'polling' }]);

    const heard: unknown[] = [];
    world.forge.services.events.listen(({ event }) => {
      if (event.type === 'chat.message' && event.role === 'report') heard.push(event.change);
    });
    llm.script([turn.text('Your build, number 7, is done.')]);
    world.service.answer = () => ({ done: true, build: 7 });
    await world.pass(3600);
    const request = llm.requests.at(-1)!;
    expect(request.tools).toEqual([]);
    expect(request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(request.messages.at(-1)!.text).toMatch(
      /^<(data-\w+) from="watch of jobs\.start">\ndone: Build 7\.\n<\/\1>$/,
    );
    const detail = await client.get(id);
    expect(roles(detail)).toEqual(['user', 'assistant', 'report']);
    expect(detail.messages[2]).toMatchObject({
      ...{ status: 'ok', parts: [{ text: 'Build 7.' }] },
      report: {
        ...{ watch_id: body.watches[0].id, tool_id: 'jobs.start', kind: 'done' },
        words: 'Your build, number 7, is done.',
      },
    });
    expect(heard).toEqual(['added']);
    expect(detail.sites).toEqual([new URL(world.service.url).host]);

    await world.restart();
    await world.pass(3600);
    const again = chatClient(world.forge);
    expect(roles(await again.get(id))).toEqual(['user', 'assistant', 'report']);
    // It stays when what was said before is said again, and the model reads it as data.
    llm.script([turn.text('Fine.')]);
    await again.ask(id, 'Start it, please', { replaces: detail.messages[0].id });
    expect(roles(await again.get(id))).toEqual(['report', 'user', 'assistant']);
    expect(llm.requests.at(-1)!.messages[0]!.text).toMatch(
      /reported\.\]\n<data-\w+ from="jobs.start">\nBuild 7\.\n\nYour build/,
    );
  });

  it('is shown as the manifest words it everywhere, whatever nonsense a model says', async () => {
    const NONSENSE = 'Purple! Your build has failed and was deleted.';
    const llm = await fakeLlm([turn.text(NONSENSE)]);
    const hook = await upstream();
    const world = await watchWorld(BLOCK, '', { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
    const values = { webhook_url: hook.url, webhook_secret: 'canary-webhook-secret-2' };
    await world.forge.request('PUT', '/api/watches/channels', { values });
    const { extension } = await pairExtension(world.forge);
    const events: unknown[] = [];
    world.forge.services.events.listen(({ event }) => event.type === 'report.added' && events.push(event));
    const { newSession, get } = chatClient(world.forge);
    const id = await newSession();
    world.service.answer = () => ({ done: true, build: 7 });
    const { watch_id } = await world.start({}, { session_id: id });
    await world.pass(3600);

    expect((await get(id)).messages).toMatchObject([
      { role: 'report', parts: [{ text: 'Build 7.' }], report: { words: NONSENSE } },
    ]);
    expect((await world.watch(watch_id)).reports).toMatchObject([{ text: 'Build 7.', words: NONSENSE }]);
    expect(events).toMatchObject([{ text: 'Build 7.', words: NONSENSE }]);
    const exported = await world.forge.request('GET', `/api/chat/sessions/${id}/export?format=markdown`);
    expect(exported.text).toContain(`Build 7.\n\n${NONSENSE}`);
    await extension.settled();
    const notices = extension.frames.filter((frame) => frame.includes('"notify"')).map((frame) => JSON.parse(frame));
    expect(notices).toMatchObject([{ params: { message: `Build 7.\n\n${NONSENSE}` } }]);
    expect(JSON.parse(hook.seen[0]!.body).data).toMatchObject({ text: 'Build 7.', words: NONSENSE });
  });

  it('comes as the manifest words it where no model can speak', async () => {
    const world = await watchWorld(BLOCK);
    const { newSession, get } = chatClient(world.forge);
    const id = await newSession();
    world.service.answer = () => ({ done: true, build: 8 });
    await world.start({}, { session_id: id });
    await world.pass(3600);
    expect((await get(id)).messages).toMatchObject([{ role: 'report', parts: [{ text: 'Build 8.' }] }]);
    // What is watched goes on when the conversation is gone.
    const { watch_id } = await world.start({}, { session_id: id });
    await world.forge.request('DELETE', `/api/chat/sessions/${id}`);
    await world.pass(3600);
    expect(await world.watch(watch_id)).toMatchObject({ state: 'done', session_id: null });
  });

  it('comes as it is when the model fails', async () => {
    const llm = await fakeLlm([turn.unauthorized()]);
    const world = await watchWorld(BLOCK, '', { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
    const { newSession, get } = chatClient(world.forge);
    const id = await newSession();
    world.service.answer = () => ({ done: true, build: 9 });
    await world.start({}, { session_id: id });
    await world.pass(3600);
    expect((await get(id)).messages).toMatchObject([{ role: 'report', parts: [{ text: 'Build 9.' }] }]);
  });
});
