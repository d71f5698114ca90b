import { expect, it } from 'vitest';
import { testForge, type TestForge } from '../testing/forge.ts';
import { connectClient, ERAS, textOf } from './testing/client.ts';

const SHOPS = `id: shops
name: Shops
version: "1.0.0"
description: Shops with a name each, for tests.
settings: { instances: { type: instances, fields: { name: { required: true } } } }
tools: { where: { protocol: shell, description: Which shop., command: [echo, '{settings.name}'] } }
`;

async function saveNames(forge: TestForge, names: readonly string[]): Promise<void> {
  const values = { instances: names.map((name) => ({ name })) };
  const { status, text } = await forge.request('PUT', '/api/connectors/shops/settings', { values });
  expect(status, text).toBe(200);
}

async function shops(names: readonly string[], env: Record<string, string> = {}): Promise<TestForge> {
  const forge = await testForge(env);
  await forge.request('POST', '/api/connectors/install-local', { yaml: SHOPS });
  await saveNames(forge, names);
  return forge;
}

const namesIn = (schema: unknown): unknown =>
  (schema as { properties: Record<string, { enum?: unknown }> }).properties['instance']?.enum;

it.each(ERAS)('C-91 tells a client (%s) which instances there are, and that there are others', async (era) => {
  const forge = await shops(['prod', 'dev']);
  const heard: unknown[] = [];
  const client = await connectClient(forge, {
    era,
    options: {
      listChanged: {
        tools: {
          autoRefresh: true,
          debounceMs: 0,
          onChanged: (_error, tools) => heard.push(namesIn(tools?.[0]?.inputSchema)),
        },
      },
    },
  });
  const { tools } = await client.listTools();
  expect(namesIn(tools[0]?.inputSchema)).toEqual(['prod', 'dev']);
  await saveNames(forge, ['prod', 'test']);
  await expect.poll(() => heard.at(-1)).toEqual(['prod', 'test']);
  await forge.request('PUT', '/api/connectors/shops/settings', { values: { instances: [] } });
  await expect.poll(() => heard.at(-1)).toBeUndefined();
});

it('takes a name that a client with an old list does not know, and names the others for one that is gone', async () => {
  const forge = await shops(['prod', 'dev']);
  const client = await connectClient(forge);
  await client.listTools();
  await saveNames(forge, ['prod', 'test']);
  const call = (instance: string) => client.callTool({ name: 'shops__where', arguments: { instance } });
  expect(textOf(await call('test'))).toBe('test');
  expect(textOf(await call('dev'))).toMatch(/^unknown_instance: .*there are prod, test/);
});

it('tells everybody else the same', async () => {
  const forge = await shops(['prod', 'dev'], { FORGE_MCP_MAX_TOOLS: '0' });
  const client = await connectClient(forge);
  const seen = async () => {
    const listed = await forge.request('GET', '/api/tools');
    const detail = await forge.request('GET', '/api/connectors/shops');
    const [described] = textOf(
      await client.callTool({ name: 'forge_describe_tool', arguments: { tools: ['shops.where'] } }),
    ).split('\n');
    const { specs } = forge.services.execution.tools.offer(['shops.where'], { kind: 'chat', name: 'test' });
    return [
      namesIn(listed.body.tools[0].input_schema),
      namesIn(detail.body.tool_list[0].input_schema),
      namesIn(JSON.parse(described ?? '').inputSchema),
      namesIn(specs[0]?.inputSchema),
      listed.headers.get('etag'),
    ];
  };
  const before = await seen();
  expect(before.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => ['prod', 'dev']));
  await saveNames(forge, ['one']);
  const after = await seen();
  expect(after.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => ['one']));
  expect(after[4]).not.toBe(before[4]);
});
