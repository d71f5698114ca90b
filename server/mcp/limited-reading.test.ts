import { expect, it } from 'vitest';
import { install } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';
import { addClient, connectClient, ERAS, textOf } from './testing/client.ts';

const LINES = `id: lines
name: Lines
version: "1.0.0"
description: Prints what it is told to, and a lot.
tools:
  many: { protocol: shell, description: Many lines., command: [seq, '1', '20000'] }
  say: { protocol: shell, description: Say., read_only: true, parameters: { text: { required: true } }, command: [echo, '{args.text}'] }
`;

it.each(ERAS)('K-49 a client reads results and files of its own connectors only, %s', async (era) => {
  const service = await upstream((_seen, response) => {
    response.writeHead(200, { 'Content-Type': 'application/zip' });
    response.end('whole');
  });
  const forge = await testForge();
  await install(forge, service.url);
  await forge.request('POST', '/api/connectors/install-local', { yaml: LINES });
  const owner = await connectClient(forge, { era });
  const [demo, lines] = await Promise.all(
    ['demo', 'lines'].map(async (id) =>
      connectClient(forge, { era, token: await addClient(forge, id, { connectors: [id] }) }),
    ),
  );
  const handle = /res_[0-9a-f]{24}/.exec(textOf(await owner.callTool({ name: 'lines__many' })))?.[0];
  const readWith = { name: 'forge_read_result', arguments: { handle, limit: 10 } };
  for (const client of [owner, lines!]) {
    expect((await client.callTool(readWith)).isError).toBeUndefined();
    expect((await client.readResource({ uri: `forge://results/${handle}` })).contents).toHaveLength(1);
  }
  expect(textOf(await demo!.callTool(readWith))).toMatch(/^result_not_found: /);
  await expect(demo!.readResource({ uri: `forge://results/${handle}` })).rejects.toThrow('no longer kept');

  const saved = await owner.callTool({ name: 'demo__get', arguments: { id: 'archive' } });
  const { uri } = saved.content[1] as { uri: string };
  for (const client of [owner, demo!])
    expect((await client.readResource({ uri })).contents).toMatchObject([{ blob: btoa('whole') }]);
  await expect(lines!.readResource({ uri })).rejects.toThrow('there is nothing at');
  const text = JSON.stringify({ file_url: uri.replace('forge://files/', '/api/files/') });
  const say = { name: 'lines__say', arguments: { text } };
  expect((await lines!.callTool(say)).content).toHaveLength(1);
  expect((await owner.callTool(say)).content).toHaveLength(2);
});
