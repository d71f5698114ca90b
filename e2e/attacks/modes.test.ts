import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packZip } from '../../server/cli/pack-zip.ts';
import { connectClient, textOf } from '../../server/mcp/testing/client.ts';
import { runForge } from '../testing/forge-process.ts';
import { CALLERS, CROWD, desk, MODELS, SEARCHING_MODELS, SUITE, useDesk, type Desk } from '../testing/mode-desk.ts';

let world: Desk;
useDesk((opened) => (world = opened));

const install = (yaml: string, query = '') => world.json('POST', `/api/connectors/install-local${query}`, { yaml });
const call = (tool: string, body: object = {}) => world.json('POST', `/api/tools/${tool}/call`, body);
const tools = async (id = 'desk') => (await world.json('GET', `/api/connectors/${id}`)).body.tool_list;
const toolOf = async (id: string) =>
  (await tools(id.startsWith('desk.') ? 'desk' : 'suite')).find((tool: { id: string }) => tool.id === id);
const modeOf = async (id: string): Promise<string> => (await toolOf(id)).mode;
const decide = (id: string, decision: object) => world.json('POST', `/api/approvals/${id}`, decision);
/** A client that may only read, and what it sees. */
async function reader(name: string) {
  const { body } = await world.json('POST', '/api/mcp/clients', { name, read_only: true });
  const client = await connectClient(world.forge, { token: body.token });
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  const text = async (tool: string) => textOf(await client.callTool({ name: tool, arguments: {} }));
  return { client, names, text };
}

describe('S9 what clients are told of tools', () => {
  it('S9 announces no tool as harmless that may change something, itself or by what it starts', async () => {
    const client = await connectClient(world.forge);
    const listed = (await client.listTools()).tools;
    const said = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]));
    const harmless = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
    const unknown = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
    expect(said).toMatchObject({
      ...{ desk__get: harmless, desk__look: harmless },
      ...{ desk__post: unknown, desk__wipe: unknown, desk__end: unknown, desk__start: unknown },
      ...{ mail__send: unknown, 'post-office__send': unknown },
    });
  });

  it('K-64 a client that may only read gets no tool that starts one that changes', async () => {
    const { names, text } = await reader('reader');
    expect(names.filter((name) => name.startsWith('desk__'))).toEqual(['desk__get', 'desk__look']);
    for (const name of ['desk__start', 'desk.start', 'desk__post'])
      expect(await text(name)).toMatch(/^client_not_allowed/);
    expect(world.seen).toEqual([]);
  });

  it('K-64 believes no claim in a folder that somebody put there', async () => {
    const folder = path.join(world.dataDir, 'connectors/found');
    mkdirSync(folder);
    const yaml = `id: found\nname: Found\nversion: "1.0.0"\ntools: { run: { protocol: shell, read_only: true, command: [echo, ran] } }\n`;
    writeFileSync(path.join(folder, 'manifest.yaml'), yaml);
    const { names, text } = await reader('reader-of-found');
    expect(names).not.toContain('found__run');
    expect(await text('found__run')).toMatch(/^client_not_allowed/);
    expect((await world.json('GET', '/api/connectors/found')).body).toMatchObject({
      review: true,
      tool_list: [{ only_reads: false, mode: 'on' }],
    });
  });

  it('K-64 believes no claim that an edit on disk has added or turned into another tool', async () => {
    const file = path.join(world.dataDir, 'connectors/desk/manifest.yaml');
    const before = readFileSync(file, 'utf8');
    const edited = before.replace('[echo, seen]', '[echo, changed]').replace('description: Post.', 'description: Post., read_only: true'); // prettier-ignore
    writeFileSync(file, edited);
    const { names, text } = await reader('reader-of-edits');
    expect(names.filter((name) => name.startsWith('desk__'))).toEqual(['desk__get']);
    for (const name of ['desk__look', 'desk__post']) expect(await text(name)).toMatch(/^client_not_allowed/);
    const { body } = await world.json('GET', '/api/connectors/desk/review');
    await world.json('POST', '/api/connectors/desk/accept', { sha256: body.sha256 });
    expect(await text('desk__look')).toContain('changed');
    writeFileSync(file, before);
    await install(desk());
  });

  it.each([
    ['a DELETE', 'wiped: { protocol: http, read_only: true, request: { method: DELETE, url: "https://a.test" } }'],
    ['a PUT', 'wiped: { protocol: http, read_only: true, request: { method: PUT, url: "https://a.test" } }'],
    ['a destructive tool', 'wiped: { protocol: shell, read_only: true, destructive: true, command: [rm] }'],
    ['a command of the caller', 'wiped: { protocol: ssh, read_only: true, ssh: { commands: ["{args.x}"] } }'],
  ])('K-64 installs no manifest that calls %s reading', async (_title, tool) => {
    const yaml = `id: liar\nname: Liar\nversion: "1.0.0"\ntools: { ${tool} }\n`;
    expect(await install(yaml)).toMatchObject({ status: 400, body: { error: { code: 'invalid_manifest' } } });
  });
});

describe('S9 Never', () => {
  it.each(Object.entries(CALLERS))('refuses %s, with a code and the way out', async (_title, run) => {
    await world.setMode('desk.post', 'never');
    const told = await run(world, 'desk.post');
    expect(told).toContain('tool_off');
    expect(told).toContain('Settings → Connectors → Tools');
    expect(world.seen).toEqual([]);
  });

  it.each(Object.entries(MODELS))('is not there for %s', async (_title, run) => {
    await world.setMode('desk.post', 'never');
    expect(await run(world, 'desk.post')).toContain("unavailable tool 'desk__post'");
    expect(world.seen).toEqual([]);
  });

  it('refuses a dry run, and arguments that are wrong, in the same words', async () => {
    await world.setMode('desk.post', 'never');
    for (const body of [{ dry_run: true }, { args: { wrong: 1 } }, { args: 'nonsense' }, { browser: 'none' }])
      expect((await call('desk.post', body)).body).toMatchObject({ ok: false, error: { code: 'tool_off' } });
  });

  it('offers the tool to nobody, neither in a list nor in a search', async () => {
    const client = await connectClient(world.forge);
    const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
    const ask = async (name: string, args: Record<string, unknown>) =>
      textOf(await client.callTool({ name, arguments: args }));
    expect(await listed()).toContain('desk__post');
    expect(await ask('forge_describe_tool', { tools: ['desk__post'] })).toContain('inputSchema');
    await world.setMode('desk.post', 'never');
    expect(await listed()).not.toContain('desk__post');
    expect(await ask('forge_search_tools', { connector: 'desk' })).not.toContain('desk__post(');
    expect(await ask('forge_describe_tool', { tools: ['desk__post', 'desk.post'] })).not.toContain('inputSchema');
    await MODELS['a dispatched task']!(world, 'desk.get');
    const offered = world.llm.requests[0]!.tools.map(({ name }) => name);
    expect([offered.includes('desk__get'), offered.includes('desk__post')]).toEqual([true, false]);
  });

  it('outweighs a yes that was given before, and one that stands', async () => {
    await world.setMode('desk.post', 'ask');
    const args = { text: 'yes' };
    const { body } = await call('desk.post', { args });
    const standing = { max_uses: 5 };
    expect((await decide(body.approval_id, { decision: 'approve', standing })).status).toBe(200);
    await world.setMode('desk.post', 'never');
    for (const again of [{ args }, { args, approval_id: body.approval_id }])
      expect((await call('desk.post', again)).body.error.code).toBe('tool_off');
    expect(
      (await world.json('POST', '/api/approvals/standing', { tool_id: 'desk.post', max_uses: 1 })).body,
    ).toMatchObject({
      error: { code: 'tool_off' },
    });
    const { body: all } = await world.json('GET', '/api/approvals/standing');
    expect(all.standing).toMatchObject([{ tool_id: 'desk.post', remaining: 5, used: 0 }]);
    await world.json('DELETE', `/api/approvals/standing/${all.standing[0].id}`);
    expect(world.seen).toEqual([]);
  });

  it('of one part of a bundle leaves the other as it is, whatever their tools are called', async () => {
    await world.setMode('mail.send', 'never');
    expect((await call('mail.send')).body.error.code).toBe('tool_off');
    expect((await call('post-office.send')).body).toMatchObject({ ok: true });
    expect((await call('suite.send')).status).toBe(404);
    expect((await world.json('PATCH', '/api/connectors/mail/modes', { modes: { 'mail.send': 'on' } })).status).toBe(
      404,
    );
    await world.setMode('mail.send', 'on');
  });

  it('is written down: a refused call is in the log', async () => {
    await world.setMode('desk.post', 'never');
    const { body } = await call('desk.post');
    expect((await world.json('GET', `/api/calls/${body.call_id}`)).body).toMatchObject({
      tool_id: 'desk.post',
      code: 'tool_off',
    });
  });
});

describe('S9 Ask', () => {
  it.each(Object.entries({ ...CALLERS, ...MODELS }))('asks a person before %s may call', async (_title, run) => {
    await world.setMode('desk.post', 'ask');
    expect(await run(world, 'desk.post')).toMatch(/approval_required|a person has to approve this first/);
    expect(world.seen).toEqual([]);
  });

  it('is good for one call each time, says why, and covers reading tools as well', async () => {
    await world.setMode('desk.get', 'ask');
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await call('desk.get');
      expect([status, body.error.message]).toEqual([409, expect.stringContaining('Desk: get is set to Ask.')]);
      await decide(body.approval_id, { decision: 'approve' });
      expect((await call('desk.get')).body.ok).toBe(true);
    }
    expect(world.seen).toEqual(['GET /get', 'GET /get']);
  });

  it('is lifted by a standing approval for as many calls as it has, and not for a tool that never asks', async () => {
    const allow = () => world.json('POST', '/api/approvals/standing', { tool_id: 'desk.post', max_uses: 1 });
    expect((await allow()).status).toBe(400);
    await world.setMode('desk.post', 'ask');
    expect((await allow()).status).toBe(201);
    expect((await call('desk.post')).body.ok).toBe(true);
    expect((await call('desk.post')).status).toBe(409);
  });
});

describe('S9 models that search for tools', () => {
  beforeAll(() => install(CROWD));
  afterAll(() => world.json('DELETE', '/api/connectors/crowd?settings=delete'));

  it.each(Object.entries(SEARCHING_MODELS))('%s is refused at Never and asked about at Ask', async (_title, run) => {
    await world.setMode('desk.post', 'never');
    expect(await run(world, 'desk.post')).toContain('tool_off');
    await world.setMode('desk.post', 'ask');
    expect(await run(world, 'desk.post')).toContain('approval_required');
    expect(world.seen).toEqual([]);
  });
});

describe('S9 who may change a mode, and to what', () => {
  const refused: [string, Record<string, string>][] = [
    ['a destructive tool to On', { 'desk.wipe': 'on' }],
    ['a tool of another connector', { 'mail.send': 'on' }],
    ['a tool in other letters', { 'DESK.POST': 'on' }],
    ['a tool by the model’s name', { desk__post: 'on' }],
    ['a tool with a space behind it', { 'desk.post ': 'on' }],
    ['a tool with a mark that cannot be seen', { 'desk.po\u200bst': 'on' }],
    ['a property of every object', { constructor: 'on' }],
    ['nothing', { '': 'on' }],
    ['a mode that does not exist', { 'desk.post': 'always' }],
  ];
  it.each(refused)('sets no mode for %s, and nothing else of that request', async (_title, modes) => {
    await world.setMode('desk.post', 'never');
    const { status, body } = await world.json('PATCH', '/api/connectors/desk/modes', {
      modes: { 'desk.end': 'never', ...modes },
    });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect([await modeOf('desk.post'), await modeOf('desk.end'), await modeOf('desk.wipe')]).toEqual([
      'never',
      'on',
      'ask',
    ]);
  });

  it('refuses a body that would reach an object’s prototype', async () => {
    const answer = await fetch(`${world.forge.url}/api/connectors/desk/modes`, {
      method: 'PATCH',
      headers: { 'X-Forge-Token': world.forge.token, 'Content-Type': 'application/json' },
      body: '{"modes":{"__proto__":"on"}}',
    });
    expect(answer.status).toBe(400);
  });

  it('is no client’s to change: its token opens no route but its own', async () => {
    const { body } = await world.json('POST', '/api/mcp/clients', { name: 'changer' });
    const answer = await fetch(`${world.forge.url}/api/connectors/desk/modes`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${body.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ modes: { 'desk.post': 'on' } }),
    });
    expect(answer.status).toBe(401);
  });

  it('tells MCP clients that the list has changed', async () => {
    let changed = (): void => undefined;
    const heard = new Promise<void>((resolve) => (changed = resolve));
    const client = await connectClient(world.forge, {
      options: { listChanged: { tools: { onChanged: () => changed() } } },
    });
    await client.listTools();
    await world.setMode('desk.post', 'never');
    await heard;
  });
});

describe('S9 a mode through installs, updates and removals', () => {
  it('is chosen with the installation, from a manifest or a zip, and nothing is installed with a wrong one', async () => {
    const other = SUITE.replaceAll('suite', 'twin')
      .replaceAll('mail', 'twin-mail')
      .replaceAll('post-office', 'twin-post');
    expect((await install(other, '?never=twin-mail.sned')).status).toBe(400);
    expect((await install(other, '?ask=twin-mail.send&never=twin-mail.send')).status).toBe(400);
    expect((await world.json('GET', '/api/connectors/twin')).status).toBe(404);
    const zip = await fetch(`${world.forge.url}/api/connectors/install-local?never=twin-mail.send,twin-post.send`, {
      method: 'POST',
      headers: { 'X-Forge-Token': world.forge.token, 'Content-Type': 'application/zip' },
      body: new Uint8Array(packZip(new Map([['manifest.yaml', Buffer.from(other)]]))),
    });
    expect(zip.status).toBe(201);
    expect((await tools('twin')).map((tool: { mode: string }) => tool.mode)).toEqual(['never', 'never']);
    expect((await install(other)).status).toBe(201);
    expect((await call('twin-mail.send')).body.error.code).toBe('tool_off');
    await world.json('DELETE', '/api/connectors/twin?settings=keep');
    await install(other);
    expect((await call('twin-mail.send')).body.ok).toBe(true);
  });

  it('shows what an update renames or turns into a change, and keeps Never for the tool that comes back', async () => {
    await world.setMode('desk.post', 'never');
    const renamed = desk('1.1.0', (yaml) => yaml.replace('  post:', '  post2:').replace("get: { protocol: http,", "get: { protocol: http, read_only: false,")); // prettier-ignore
    const { body } = await world.json('POST', '/api/connectors/preview', { yaml: renamed });
    const seen = Object.fromEntries(body.tool_list.map((tool: { id: string }) => [tool.id, tool]));
    expect(seen['desk.post2']).toMatchObject({ before: null, only_reads: false, mode: 'on' });
    expect(seen['desk.get']).toMatchObject({ before: { only_reads: true }, only_reads: false, mode: 'on' });
    expect(seen['desk.wipe']).toMatchObject({ mode: 'ask' });
    await install(renamed);
    expect([await modeOf('desk.post2'), (await call('desk.post')).status]).toEqual(['on', 404]);
    await install(desk('1.2.0'));
    expect((await call('desk.post')).body.error.code).toBe('tool_off');
  });

  it('asks from the moment that an update calls a tool destructive, though the person had said On', async () => {
    await install(desk('1.3.0', (yaml) => yaml.replace('description: Post.', 'description: Post., destructive: true')));
    expect([await modeOf('desk.post'), (await call('desk.post')).status]).toEqual(['ask', 409]);
    expect((await install(desk('1.3.0'), '?on=desk.wipe')).status).toBe(400);
    await install(desk('1.4.0'));
  });

  it('is set and shown on the command line', async () => {
    const { dataDir } = world;
    const set = await runForge(dataDir, ['connector', 'tools', 'desk', '--ask', 'post', '--never', 'desk.end,get']);
    expect([set.code, await modeOf('desk.post'), await modeOf('desk.end'), await modeOf('desk.get')]).toEqual([
      0,
      'ask',
      'never',
      'never',
    ]);
    expect(set.stdout).toMatch(/desk\.post +desk +http +ask/);
    expect(await runForge(dataDir, ['connector', 'tools', 'suite', '--ask', 'send'])).toMatchObject({ code: 2 });
    expect(await runForge(dataDir, ['connector', 'tools', 'desk', '--on', 'wipe'])).toMatchObject({ code: 1 });
    const file = path.join(dataDir, 'suite.yaml');
    writeFileSync(file, SUITE);
    const installed = await runForge(dataDir, ['connector', 'install', file, '--ask', 'mail.send']);
    expect([installed.code, await modeOf('mail.send')]).toEqual([0, 'ask']);
    await world.setMode('mail.send', 'on');
  });
});
