import { expect, it } from 'vitest';
import { watchWorld } from '../watches/testing/watch-world.ts';
import { connectClient, ERAS, textOf } from './testing/client.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_done: { message: 'Build {poll.build}.' } }`;

it.each(ERAS)('C-123 a client (%s) is told where to look, and of each poll it has subscribed to', async (era) => {
  const { forge, service, pass } = await watchWorld(BLOCK);
  const updated: string[] = [];
  const client = await connectClient(forge, { era });
  const text = textOf(await client.callTool({ name: 'jobs__start', arguments: {} }));
  const uri = /forge:\/\/watches\/wch_[0-9a-f]{16}/.exec(text)?.[0] ?? '';
  expect(text).toContain('do not poll it yourself');
  const read = async () => {
    const { contents } = await client.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  expect(await read()).toMatchObject({ state: 'polling', poll_count: 0 });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri));
  if (era === 'legacy') await client.subscribeResource({ uri });
  else {
    const { honoredFilter } = await client.listen({ resourceSubscriptions: [uri] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [uri] });
  }
  service.answer = (_id, poll) => ({ done: poll === 2, build: 7 });
  await pass(120);
  expect(await read()).toMatchObject({ state: 'done', reports: [{ text: 'Build 7.' }] });
  const handle = uri.slice('forge://watches/'.length);
  expect(text).toContain(`read it later with forge_read_result, handle ${handle}`);
  const asked = (args: object) => client.callTool({ name: 'forge_read_result', arguments: { handle, ...args } });
  expect(JSON.parse(textOf(await asked({})))).toMatchObject({ kind: 'value', value: { state: 'done' } });
  expect(JSON.parse(textOf(await asked({ path: 'reports[0].text' })))).toMatchObject({
    kind: 'text',
    text: 'Build 7.',
  });
  // Two polls, and the end.
  await expect.poll(() => updated.length).toBeGreaterThanOrEqual(3);
  expect(new Set(updated)).toEqual(new Set([uri]));
});

it('K-49 a client that is limited to other connectors cannot read it', async () => {
  const { forge, start } = await watchWorld(BLOCK);
  const { watch_id } = await start();
  const { body } = await forge.request('POST', '/api/mcp/clients', { name: 'other', connectors: ['nothing'] });
  const client = await connectClient(forge, { token: body.token });
  await expect(client.readResource({ uri: `forge://watches/${String(watch_id)}` })).rejects.toThrow(
    'there is nothing at',
  );
  const asked = await client.callTool({ name: 'forge_read_result', arguments: { handle: watch_id } });
  expect(textOf(asked)).toMatch(/^result_not_found: /);
  await expect(client.readResource({ uri: 'forge://watches/wch_0000000000000000' })).rejects.toThrow('nothing at');
});
