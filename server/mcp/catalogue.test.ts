import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { install } from '../testing/demo-calls.ts';
import { tempFolder, testForge } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';
import { connectClient, textOf } from './testing/client.ts';
import { writeManyConnectors } from './testing/many-connectors.ts';

const CATALOGUE = ['forge_search_tools', 'forge_describe_tool', 'forge_call_tool', 'forge_read_result'];

const names = ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name);

async function manyForge(connectors: number, toolsEach: number) {
  const dataDir = path.join(tempFolder(), 'data');
  writeManyConnectors(dataDir, connectors, toolsEach);
  return testForge({ FORGE_DATA_DIR: dataDir });
}

/** As it is usually reckoned: four characters are a token. */
const tokens = (text: string) => Math.ceil(text.length / 4);

describe('the initial context', () => {
  it('stays below 4,000 tokens with 100 connectors of 20 tools, of which all can be found and called', async () => {
    const forge = await manyForge(100, 20);
    const client = await connectClient(forge);
    const listed = await client.listTools();
    expect(names(listed)).toEqual(CATALOGUE);
    const initial = tokens(`${client.getInstructions()}${JSON.stringify(listed.tools)}`);
    expect(initial).toBeLessThan(4000);
    for (let index = 0; index < 100; index += 1)
      expect(client.getInstructions()).toContain(`- service-${index} (20): `);

    const whole = await connectClient(forge, { query: `?connectors=${ids(100).join(',')}` });
    const { tools } = await whole.listTools();
    expect(tools).toHaveLength(2001);
    expect(tokens(JSON.stringify(tools))).toBeGreaterThan(300_000);
  });

  it('stays bounded when there are a thousand connectors', async () => {
    const forge = await manyForge(1000, 1);
    const client = await connectClient(forge);
    const { tools } = await client.listTools();
    expect(tokens(`${client.getInstructions()}${JSON.stringify(tools)}`)).toBeLessThan(4000);
    expect(client.getInstructions()).toMatch(/… and \d+ more; forge_search_tools finds them$/);
  });

  it('lists every tool as long as there are no more than FORGE_MCP_MAX_TOOLS', async () => {
    const forge = await testForge({ FORGE_MCP_MAX_TOOLS: '8' });
    await install(forge, 'http://127.0.0.1:1');
    const client = await connectClient(forge);
    expect(names(await client.listTools())).toHaveLength(9);
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    expect(names(await client.listTools())).toEqual(CATALOGUE);
  });
});

describe('the catalogue', () => {
  it('is searched, described and called', async () => {
    const service = await upstream(json({ items: [{ id: 1 }] }));
    const forge = await testForge({ FORGE_MCP_MAX_TOOLS: '1' });
    await install(forge, service.url);
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    const client = await connectClient(forge);
    const call = async (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
    const found = textOf(await call('forge_search_tools', { query: 'delete an item' }));
    expect(found.split('\n')[1]).toBe(
      'demo__wipe(id): Delete an item for good. [changes something: a person approves it]',
    );
    expect(textOf(await call('forge_search_tools'))).toMatch(/- demo \(8\).*\n- git \(14\): /s);
    expect(textOf(await call('forge_search_tools', { connector: 'git', query: 'commits' }))).toContain(
      'git__log(repo*',
    );
    expect(textOf(await call('forge_search_tools', { connector: 'gti' }))).toContain('did you mean git?');
    expect(textOf(await call('forge_search_tools', { query: 'zebra' }))).toContain('No tool matches');
    const [described, missing] = textOf(await call('forge_describe_tool', { tools: ['demo.get', 'demo__gett'] })).split(
      '\n',
    );
    expect(JSON.parse(described!)).toMatchObject({ name: 'demo__get', inputSchema: { required: ['id'] } });
    expect(JSON.parse(missing!)).toMatchObject({ error: expect.stringContaining('did you mean demo__get?') });
    // First: after reading from a site a command is put to a person.
    expect(textOf(await call('forge_call_tool', { tool: 'demo.echo', arguments: '{"text":"hi"}' }))).toBe('hi');
    for (const tool of ['demo.list', 'demo__list']) {
      const result = await call('forge_call_tool', { tool, arguments: {} });
      expect([textOf(result), result.structuredContent]).toEqual(['[{"id":1}]', undefined]);
    }
  });

  it.each([
    ['forge_call_tool', { tool: 'demo.nope' }, /^tool_not_found: there is no tool called "demo\.nope"/],
    ['forge_call_tool', {}, /^invalid_argument: tool is required/],
    ['forge_call_tool', { tool: 'demo.echo', arguments: [] }, /^invalid_argument: arguments must be an object/],
    ['forge_call_tool', { tool: 'demo.wipe', arguments: { id: '7' } }, /^approval_required: /],
    ['forge_describe_tool', { tools: [] }, /^invalid_argument: /],
    ['forge_search_tools', { query: 7 }, /^invalid_argument: query must be a text/],
    ['forge_search_tools', { query: 'x', limit: -1 }, /^invalid_argument: limit must be a whole number/],
    ['forge_read_result', { handle: 'res_x', path: '][' }, /^result_not_found: /],
  ])('%s answers %j with what is wrong', async (name, args, expected) => {
    const forge = await testForge({ FORGE_MCP_MAX_TOOLS: '0', FORGE_HOLD_SECONDS: '0' });
    await install(forge, 'http://127.0.0.1:1');
    const client = await connectClient(forge);
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(expected);
  });

  it('asks the person for a call that came through it, and an argument of the model approves nothing', async () => {
    const service = await upstream();
    const forge = await testForge({ FORGE_MCP_MAX_TOOLS: '0', FORGE_HOLD_SECONDS: '0' });
    await install(forge, service.url);
    const client = await connectClient(forge);
    const waits = await client.callTool({
      name: 'forge_call_tool',
      arguments: { tool: 'demo.wipe', arguments: { id: '7' } },
    });
    const id = /apr_[0-9a-f]{16}/.exec(textOf(waits))?.[0];
    for (const more of [{ approval_id: id }, { approvalId: id }, { approve: true }]) {
      const again = await client.callTool({
        name: 'forge_call_tool',
        arguments: { tool: 'demo.wipe', arguments: { id: '7' }, ...more },
        _meta: { approval_id: id },
      });
      expect(textOf(again)).toMatch(/^approval_required: /);
    }
    expect(service.seen).toEqual([]);
  });
});

it('K-49 lists one tool for one name, whichever connectors come to it', async () => {
  const tool = (name: string) => `{ ${name}: { protocol: shell, description: Say., command: [echo, hi] } }`;
  const forge = await testForge();
  for (const [id, name] of [
    ['one', 'two__three'],
    ['one__two', 'three'],
  ] as const) {
    const yaml = `id: ${id}\nname: ${id}\nversion: "1.0.0"\ntools: ${tool(name)}\n`;
    expect((await forge.request('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
  }
  const client = await connectClient(forge);
  expect(names(await client.listTools())).toEqual(['one__two__three', 'forge_read_result']);
  expect(textOf(await client.callTool({ name: 'one__two__three' }))).toBe('hi');
  expect((await forge.request('GET', '/api/calls')).body.calls).toMatchObject([{ tool_id: 'one.two__three' }]);
});

describe('/mcp?connectors=', () => {
  it('lists the tools of those connectors one by one, and leaves the others to be found', async () => {
    const forge = await testForge({ FORGE_MCP_MAX_TOOLS: '1' });
    await install(forge, 'http://127.0.0.1:1');
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    const one = await connectClient(forge, { query: '?connectors=demo' });
    const listed = names(await one.listTools());
    expect(listed).toEqual([...listed.filter((name) => name.startsWith('demo__')), ...CATALOGUE]);
    expect(listed).toHaveLength(12);
    const both = await connectClient(forge, { query: '?connectors=demo,%20git' });
    expect(names(await both.listTools())).toHaveLength(8 + 14 + 1);
    const none = await connectClient(forge, { query: '?connectors=nope' });
    expect(names(await none.listTools())).toEqual(CATALOGUE);
  });
});

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `service-${index}`);
}
