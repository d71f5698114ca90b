import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testForge, type TestForge } from '../../../testing/forge.ts';
import { isRuntimeManager } from '../../managers.ts';
import { createGuardedFetch } from '../../models/guarded-fetch.ts';
import { SILENT } from '../../testing/adapter-contract.ts';
import { ManagedHermesAgentProvider } from './management.ts';

const TOKEN = 'canary-dashboard-token-5521';
const { fetch } = createGuardedFetch({ ownPorts: () => [], proxy: {} });

/** The server behind `hermes dashboard`, as far as profiles and skills go. It remembers what was changed. */
async function dashboard({ exitCode = 0 } = {}) {
  const changes: string[] = [];
  const profiles = [{ name: 'default', model: 'nous/hermes-4' }, { name: 'coder' }];
  const skills = [
    { name: 'pdf', description: 'PDFs.', enabled: true, provenance: 'hub' },
    { name: 'notes', description: 'Notes.', enabled: false, provenance: 'agent' },
  ];
  const reads: Record<string, unknown> = {
    'GET /api/profiles': { profiles },
    'GET /api/skills': skills,
    'GET /api/actions/skills-install-1/status': { name: 'skills-install-1', running: false, exit_code: exitCode },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const line = `${request.method} ${request.url}`;
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers['x-hermes-session-token'] !== TOKEN) send(401, { detail: 'Unauthorized' });
    else if (Object.hasOwn(reads, line)) send(200, reads[line]);
    else {
      const hasBody = request.headers['content-length'] !== undefined;
      changes.push(`${line} ${hasBody ? JSON.stringify(await readJson(request)) : ''}`.trim());
      if (line === 'DELETE /api/profiles/default') send(400, { detail: 'the default profile stays' });
      else send(200, { ok: true, pid: 1, name: 'skills-install-1' });
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, changes };
}

async function adapterAt(url: string, token = TOKEN): Promise<ManagedHermesAgentProvider> {
  const adapter = new ManagedHermesAgentProvider({ fetch, protect: () => undefined, log: SILENT });
  await adapter.initialize({ HERMES_DASHBOARD_URL: url, HERMES_DASHBOARD_SESSION_TOKEN: token, HERMES_API_KEY: 'k' });
  return adapter;
}

describe('E-34 E-37 K-25 hermes-agent with its dashboard', () => {
  it('claims what the document lists', async () => {
    const adapter = await adapterAt((await dashboard()).url);
    expect(isRuntimeManager(adapter)).toBe(true);
    expect(adapter.capabilities().capabilities).toEqual([
      ...['streaming', 'file_io', 'mcp_servers', 'management', 'native_tools'],
    ]);
  });

  it('shows profiles as agents, and which skills are on', async () => {
    const adapter = await adapterAt((await dashboard()).url);
    expect(await adapter.discoverAgents()).toEqual([
      { id: 'default', name: 'default', model: 'nous/hermes-4' },
      { id: 'coder', name: 'coder' },
    ]);
    expect(await adapter.discoverSkills()).toMatchObject([
      { key: 'pdf', description: 'PDFs.', enabled: true },
      { key: 'notes', enabled: false },
    ]);
  });

  it.each<[string, (adapter: ManagedHermesAgentProvider) => Promise<void>, string[]]>([
    [
      'a new agent with all it is told',
      (adapter) => adapter.pushAgent({ id: 'writer', systemPrompt: 'Write.', model: 'openrouter/a/b' }),
      [
        'POST /api/profiles {"name":"writer"}',
        'PUT /api/profiles/writer/model {"provider":"openrouter","model":"a/b"}',
        'PUT /api/profiles/writer/soul {"content":"Write."}',
      ],
    ],
    [
      'an agent that exists',
      (adapter) => adapter.pushAgent({ id: 'coder', systemPrompt: 'Code.' }),
      ['PUT /api/profiles/coder/soul {"content":"Code."}'],
    ],
    ['the end of an agent', (adapter) => adapter.removeAgent('coder'), ['DELETE /api/profiles/coder']],
    [
      'the file of an agent',
      (adapter) => adapter.pushFile('coder', 'SOUL.md', 'I am.'),
      ['PUT /api/profiles/coder/soul {"content":"I am."}'],
    ],
    [
      'a new skill',
      (adapter) => adapter.pushSkill({ key: 'mail', content: '# Mail' }),
      ['POST /api/skills {"name":"mail","content":"# Mail"}'],
    ],
    [
      'another text for a skill',
      (adapter) => adapter.pushSkill({ key: 'notes', content: '# Notes' }),
      ['PUT /api/skills/content {"name":"notes","content":"# Notes"}'],
    ],
    [
      'a skill of a hub',
      (adapter) => adapter.pushSkill({ key: 'mail', source: 'official/mail' }),
      ['POST /api/skills/hub/install {"identifier":"official/mail"}'],
    ],
    [
      'the end of a skill of a hub',
      (adapter) => adapter.removeSkill('pdf'),
      ['POST /api/skills/hub/uninstall {"name":"pdf"}'],
    ],
    [
      'the end of a skill of its own',
      (adapter) => adapter.removeSkill('notes'),
      ['PUT /api/skills/toggle {"name":"notes","enabled":false}'],
    ],
  ])('takes %s', async (_what, change, expected) => {
    const { url, changes } = await dashboard();
    await change(await adapterAt(url));
    expect(changes).toEqual(expected);
  });

  it.each<[string, (adapter: ManagedHermesAgentProvider) => Promise<void>, string]>([
    ['a name that leads elsewhere', (adapter) => adapter.removeAgent('../config'), 'invalid_request'],
    ['dots', (adapter) => adapter.pushFile('..', 'SOUL.md', ''), 'invalid_request'],
    ['a model without its provider', (adapter) => adapter.pushAgent({ id: 'a', model: 'b' }), 'invalid_request'],
    ['a folder', (adapter) => adapter.pushAgent({ id: 'a', workspace: '/home' }), 'not_supported'],
    ['another file', (adapter) => adapter.pushFile('coder', 'AGENTS.md', ''), 'not_supported'],
    ['a skill that is not there', (adapter) => adapter.removeSkill('none'), 'not_found'],
  ])('refuses %s, and changes nothing', async (_what, change, code) => {
    const { url, changes } = await dashboard();
    await expect(change(await adapterAt(url))).rejects.toMatchObject({ code });
    expect(changes).toEqual([]);
  });

  it('says what Hermes says', async () => {
    const { url } = await dashboard({ exitCode: 2 });
    const adapter = await adapterAt(url);
    await expect(adapter.removeAgent('default')).rejects.toMatchObject({
      ...{ code: 'runtime_failed', message: expect.stringContaining('the default profile stays') as string },
    });
    await expect(adapter.pushSkill({ key: 'mail' })).rejects.toMatchObject({
      ...{ code: 'runtime_failed', message: 'Hermes’ skills-install-1 ended with 2' },
    });
    await expect((await adapterAt(url, 'another')).removeAgent('coder')).rejects.toMatchObject({
      ...{ code: 'model_auth_failed', hint: expect.stringContaining('HERMES_DASHBOARD_SESSION_TOKEN') as string },
    });
    await expect((await adapterAt('http://127.0.0.1:9')).discoverAgents()).rejects.toMatchObject({
      code: 'runtime_offline',
    });
  });

  it('E-36 has routes when Forge shares the dashboard’s token, and the token stays in it', async () => {
    const { url, changes } = await dashboard();
    const forge: TestForge = await testForge({
      BRIDGE_ADAPTERS: 'hermes-agent',
      HERMES_DASHBOARD_URL: url,
      HERMES_DASHBOARD_SESSION_TOKEN: TOKEN,
    });
    const listed = await forge.request('GET', '/api/v2/gateways');
    expect(listed.body.gateways).toMatchObject([{ provider: 'hermes-agent', managers: ['runtime'] }]);
    const answer = await forge.request('PUT', '/api/gateway/hermes-agent/agents/coder', { systemPrompt: 'Code.' });
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect(changes).toEqual(['PUT /api/profiles/coder/soul {"content":"Code."}']);
    expect(forge.logLines.join('') + listed.text).not.toContain(TOKEN);
  });
});
