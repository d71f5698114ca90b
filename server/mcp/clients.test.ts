import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { install } from '../testing/demo-calls.ts';
import { tempFolder, testForge, type TestForge } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';
import { createMcpClients } from './clients.ts';
import { addClient, connectClient, ERAS, textOf } from './testing/client.ts';

const callers = async (forge: TestForge) =>
  (await forge.request('GET', '/api/calls')).body.calls.map(({ caller }: { caller: string }) => caller);

describe('a named client', () => {
  it.each(ERAS)('sees and calls what it may, and is named in the call log, %s', async (era) => {
    const service = await upstream(json({ items: [] }));
    const forge = await testForge();
    await install(forge, service.url);
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    const token = await addClient(forge, 'night-shift', { connectors: ['demo'], read_only: true });
    const client = await connectClient(forge, { era, token, name: 'says it is somebody else' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['demo__get', 'demo__list', 'demo__reach', 'demo__fixed'],
      'forge_read_result',
    ]);
    expect((await client.callTool({ name: 'demo__list' })).isError).toBeUndefined();
    const refused: [string, Record<string, unknown>, string][] = [
      ['demo__wipe', { id: '7' }, 'demo.wipe: it may only read'],
      ['demo__echo', { text: 'x' }, 'demo.echo: it may only read'],
      ['demo.wipe', { id: '7' }, 'demo.wipe: it may only read'],
      ['git__log', { repo: '/' }, 'git.log: this connector is not for it'],
      ['forge_call_tool', { tool: 'git.log', arguments: { repo: '/' } }, 'git.log: this connector is not for it'],
    ];
    for (const [name, args, why] of refused) {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(`client_not_allowed: this client may not call ${why}`);
    }
    expect(service.seen).toHaveLength(1);
    expect(new Set(await callers(forge))).toEqual(new Set(['night-shift']));
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['demo__wipe', { nope: 1 }, /^client_not_allowed: this client may not call demo\.wipe: it may only read\n[^\n]*$/],
    ['git__log', {}, /^client_not_allowed: this client may not call git\.log: this connector is not for it\n[^\n]*$/],
    ['forge_call_tool', { tool: 'git.logg' }, /^tool_not_found: there is no tool called "git\.logg"\n/],
    ['forge_call_tool', { tool: 'demo.wiped' }, /^tool_not_found: (?!.*mean demo\.wipe\?)/],
    ['forge_call_tool', { tool: 'demo.lists' }, /did you mean demo\.list\?/],
  ])('learns nothing of what it may not use from a wrong call of %s with %j', async (name, args, expected) => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    const token = await addClient(forge, 'one', { connectors: ['demo'], read_only: true });
    const client = await connectClient(forge, { token });
    expect(textOf(await client.callTool({ name, arguments: args }))).toMatch(expected);
  });

  it('neither finds nor reads about what it may not use', async () => {
    const forge = await testForge({ FORGE_MCP_MAX_TOOLS: '0' });
    await install(forge, 'http://127.0.0.1:1');
    for (const id of ['git', 'gh']) await forge.request('POST', `/api/connectors/marketplace/${id}/install`);
    const client = await connectClient(forge, { token: await addClient(forge, 'one', { connectors: ['gh'] }) });
    expect(client.getInstructions()).not.toContain('git (');
    const call = async (name: string, args: Record<string, unknown>) =>
      textOf(await client.callTool({ name, arguments: args }));
    expect(await call('forge_search_tools', { query: 'log commits demo' })).not.toContain('git__');
    expect(await call('forge_describe_tool', { tools: ['git__log'] })).toContain('there is no such tool');
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'forge://docs/authoring',
      'forge://connectors/gh/readme',
    ]);
    await expect(client.readResource({ uri: 'forge://connectors/git/readme' })).rejects.toThrow('nothing at');
  });

  it('has a token that opens nothing but /mcp, so that no model approves anything with it', async () => {
    const service = await upstream();
    const forge = await testForge({ FORGE_HOLD_SECONDS: '0' });
    await install(forge, service.url);
    const token = await addClient(forge, 'one');
    const client = await connectClient(forge, { token });
    await client.callTool({ name: 'demo__wipe', arguments: { id: '7' } });
    const [{ id }] = (await forge.request('GET', '/api/approvals')).body.approvals;
    const headers = { 'X-Forge-Token': token };
    for (const [method, place, body] of [
      ['POST', `/api/approvals/${id}`, { decision: 'approve' }],
      ['GET', '/api/tools', undefined],
      ['POST', '/api/mcp/clients', { name: 'more' }],
      ['GET', '/metrics', undefined],
    ] as const) {
      expect((await forge.request(method, place, body, headers)).status, place).toBe(401);
    }
    expect((await forge.request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
  });

  it('gets other limits for its next call, and is gone at once when it is revoked', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const token = await addClient(forge, 'one');
    const client = await connectClient(forge, { token });
    const echo = () => client.callTool({ name: 'demo__echo', arguments: { text: 'hi' } });
    expect(textOf(await echo())).toBe('hi');
    const changed = await forge.request('PATCH', '/api/mcp/clients/one', { connectors: [], read_only: false });
    expect(changed.body).toMatchObject({ name: 'one', connectors: [] });
    expect(textOf(await echo())).toContain('client_not_allowed');
    expect((await forge.request('DELETE', '/api/mcp/clients/one')).status).toBe(204);
    await expect(echo()).rejects.toThrow();
    expect((await forge.request('GET', '/api/mcp/clients')).body).toEqual({ clients: [] });
  });

  it.each([...ERAS, 'no session'] as const)(
    'is stopped in the middle of a call when it is revoked, %s',
    async (era) => {
      const service = await upstream(() => undefined);
      const forge = await testForge();
      await install(forge, service.url);
      const token = await addClient(forge, 'one');
      const params = { name: 'demo__get', arguments: { id: '7' } };
      const call = async () => {
        if (era !== 'no session') return textOf(await (await connectClient(forge, { era, token })).callTool(params));
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
        const { body } = await forge.request('POST', '/mcp', message, { 'X-Forge-Token': token });
        return textOf(body.result);
      };
      const answer = call();
      await expect.poll(() => service.seen.length).toBe(1);
      await forge.request('DELETE', '/api/mcp/clients/one');
      expect(await answer).toMatch(/^cancelled: this client was revoked/);
    },
  );

  it('hears nothing any more once it is revoked, also without a session', async () => {
    const forge = await testForge();
    const client = await connectClient(forge, { era: 'auto', token: await addClient(forge, 'one') });
    const { closed } = await client.listen({ toolsListChanged: true });
    await forge.request('DELETE', '/api/mcp/clients/one');
    expect(await closed).toBe('remote');
  });

  it.each(ERAS)('is told to list again when it gets other limits, %s', async (era) => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const heard: unknown[] = [];
    const onChanged = (_error: unknown, tools: readonly { name: string }[] | null) =>
      void heard.push(tools?.map(({ name }) => name));
    const client = await connectClient(forge, {
      era,
      token: await addClient(forge, 'one'),
      options: { listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } } },
    });
    await client.listTools();
    const limit = () => forge.request('PATCH', '/api/mcp/clients/one', { connectors: [], read_only: false });
    // The client opens its stream when it finds the time, and hears nothing before.
    await expect.poll(() => limit().then(() => heard[0])).toEqual(['forge_read_result']);
  });

  it('is spoken for by whoever has the owner’s token, until it is revoked', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    await addClient(forge, 'claude-desktop', { connectors: ['other'] });
    const headers = { 'X-Forge-Mcp-Client': 'Claude-Desktop' };
    const client = await connectClient(forge, { headers });
    const result = await client.callTool({ name: 'demo__echo', arguments: { text: 'hi' } });
    expect(textOf(result)).toContain('client_not_allowed');
    expect(await callers(forge)).toEqual(['claude-desktop']);
    await forge.request('DELETE', '/api/mcp/clients/claude-desktop');
    const refused = await forge.request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, headers);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'client_not_allowed']);
  });

  it('is told apart from others: several at once, each with its own session', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const clients = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => connectClient(forge, { token: await addClient(forge, name) })),
    );
    await Promise.all(clients.map((client) => client.callTool({ name: 'demo__echo', arguments: { text: 'hi' } })));
    expect((await callers(forge)).sort()).toEqual(['one', 'three', 'two']);
  });
});

describe('the list of clients', () => {
  it.each([
    [{ name: '' }, 400],
    [{ name: 'a\nb' }, 400],
    [{ name: '../../etc' }, 400],
    [{ name: 'x'.repeat(61) }, 400],
    [{ name: 'fine', connectors: 'demo' }, 400],
    [{ name: 'fine', admin: true }, 400],
    [{ name: 'TAKEN' }, 409],
    [{ name: 'Claude Code @ work' }, 201],
  ])('answers %j with %d', async (body, status) => {
    const forge = await testForge();
    await addClient(forge, 'taken');
    expect((await forge.request('POST', '/api/mcp/clients', body)).status).toBe(status);
  });

  it('answers with how a client that starts programs starts this Forge, whatever else is installed', async () => {
    const forge = await testForge({ FORGE_DATA_DIR: path.join(tempFolder(), 'data') });
    const { command, args, env } = (await forge.request('POST', '/api/mcp/clients', { name: 'my laptop' })).body.launch;
    expect([command, args.slice(1)]).toEqual([process.execPath, ['mcp', '--client', 'my laptop']]);
    expect(existsSync(args[0])).toBe(true);
    expect(env).toEqual({ FORGE_DATA_DIR: forge.dataDir.root, FORGE_PORT: '0' });
  });

  it('keeps a hash of the token and nothing it could be read from, and remembers across a start', async () => {
    const file = path.join(tempFolder(), 'forge.db');
    const db = await openDatabase(file);
    let now = Date.parse('2026-03-01T12:00:00Z');
    const clients = createMcpClients({ db, now: () => now });
    const { token, client } = clients.add('one', { connectors: ['demo'], read_only: true });
    expect(token).toMatch(/^fmc_[\w-]{43}$/);
    expect(JSON.stringify(db.prepare('SELECT * FROM mcp_clients').all())).not.toContain(token.slice(4));
    now += 60_000;
    expect(clients.withToken(token)).toMatchObject({ id: client.id, last_used_at: '2026-03-01T12:01:00.000Z' });
    expect(clients.withToken(`${token}x`)).toBeNull();
    expect(clients.withToken('')).toBeNull();
    db.close();
    const again = await openDatabase(file);
    onTestFinished(() => again.close());
    expect(createMcpClients({ db: again }).list()).toEqual([{ ...client, last_used_at: '2026-03-01T12:01:00.000Z' }]);
  });

  it('knows a client whose time of last use cannot be written, and says that it could not', async () => {
    const db = await openDatabase(path.join(tempFolder(), 'forge.db'));
    onTestFinished(() => db.close());
    const reported: unknown[] = [];
    const clients = createMcpClients({ db, report: (failure) => void reported.push(failure) });
    const { token, client } = clients.add('one', { connectors: null, read_only: false });
    db.exec(`CREATE TRIGGER full BEFORE UPDATE ON mcp_clients BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    expect(clients.withToken(token)).toEqual(client);
    expect(clients.named('one')).toEqual(client);
    expect(String(reported)).toContain('the disk is full');
    expect(reported).toHaveLength(1);
  });
});
