import { expect, it } from 'vitest';
import type { Inspect } from '../../shared/bridge.ts';
import { testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';
import { addClient, connectClient, ERAS, textOf } from './testing/client.ts';

const VALUE = {
  title: 'Issues',
  nodes: [
    { depth: 0, tag: 'div', selector: '#content' },
    { depth: 1, tag: 'tr', selector: 'tr.issue', text: 'One', more: 23 },
  ],
  truncated: false,
  left_out: { alike: 138, hidden: 4, beyond_limit: 0 },
};
const NAME = 'forge_inspect_page';

it.each(ERAS)('C-121 a client looks at a page, once a browser is paired, %s', async (era) => {
  const forge = await testForge();
  const client = await connectClient(forge, { era });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).not.toContain(NAME);
  const { extension } = await pairExtension(forge);
  expect(await names()).toContain(NAME);
  const asked: Inspect[] = [];
  extension.onRequest = (request) => {
    asked.push(request.params as Inspect);
    request.reply({ url: 'https://t.test/issues' }, JSON.stringify(VALUE));
  };
  const result = await client.callTool({ name: NAME, arguments: { url: 'https://t.test/issues', limit: 50 } });
  expect(textOf(result)).toBe(
    'https://t.test/issues\n#content\n  tr.issue "One" (+23 alike)\nleft out: 138 elements in siblings that are built alike, 4 hidden, 0 beyond the limit',
  );
  expect(asked).toMatchObject([{ url: 'https://t.test/issues', action: { kind: 'outline', max_nodes: 50 } }]);
});

it.each([
  [{}, 'url must be'],
  [{ url: 'file:///etc/passwd' }, 'is not the address of a web page'],
  [{ url: 'https://t.test/', limit: 0 }, 'limit must be'],
  [{ url: 'https://t.test/', selector: 7 }, 'selector must be'],
])('C-121 refuses %j', async (args, words) => {
  const forge = await testForge();
  await pairExtension(forge);
  const client = await connectClient(forge);
  const result = await client.callTool({ name: NAME, arguments: args });
  expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(words)]);
});

it('C-121 is not for a client with limits, nor for Forge’s own pages', async () => {
  const forge = await testForge();
  await pairExtension(forge);
  const token = await addClient(forge, 'limited', { read_only: true });
  const limited = await connectClient(forge, { token });
  expect((await limited.listTools()).tools.map(({ name }) => name)).not.toContain(NAME);
  const look = { name: NAME, arguments: { url: `${forge.url}/settings` } };
  expect(textOf(await limited.callTool(look))).toMatch(/^tool_not_found: /);
  expect(textOf(await (await connectClient(forge)).callTool(look))).toMatch(/^address_refused: /);
});
