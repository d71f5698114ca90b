import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow, findCanaries } from '../testing/canaries.ts';
import { call } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';

const TOP = 'cnry-Top/level+"secret"=7';
const ROW = 'cnry-In-A-Röw-ünïcode-42';
const DEEP = 'cnry-nested\\backslash-&-amp;';
const OTHER = 'cnry-of-another-connector-77';
const CANARIES = [TOP, ROW, DEEP, OTHER];

const WEB = `id: web
name: Web
version: "1.0.0"
settings:
  base_url: { required: true }
  key: { type: secret }
  label: {}
  borrowed: {}
  instances:
    type: instances
    fields:
      name: { required: true }
      base_url: {}
      api_token: { type: secret }
      inject_params: { type: instances, fields: { name: {}, value: { type: secret } } }
auth: { type: bearer, token: '{settings.key}' }
host_match: '{base_url}/*'
login_redirect: /login
test: { probe: browser, auth_required_selector: '#login' }
tools:
  read: { description: Reads., parameters: { q: {} }, page: { url: '{base_url}/x?q={args.q}', on_target: '/x', frame: '{base_url}/embed' }, script: "return ['{settings.label}', settings, args]" }
  wipe: { description: Wipes., destructive: true, runner: isolated, script: return 1 }
  borrow: { description: Borrows., script: "return '{settings.borrowed}'" }
  borrow_url: { description: Borrows., page: { url: '{base_url}/{settings.borrowed}' }, script: return 1 }
`;
const VAULT = `id: vault
name: Vault
version: "1.0.0"
settings: { token: { type: secret } }
tools: { t: { protocol: http, description: Gets., request: { url: 'https://v.test' } } }
`;

describe('no secret reaches a browser', () => {
  it('C-23 K-05 K-54 in no frame of a session that does everything, nor in what is written or said about it', async () => {
    const forge = await testForge({ FORGE_LOG: 'trace' });
    const heard: string[] = [];
    const say: typeof forge.request = async (...request) => {
      const answer = await forge.request(...request);
      heard.push(answer.text);
      return answer;
    };
    for (const yaml of [WEB, VAULT]) await say('POST', '/api/connectors/install-local', { yaml });
    const rows = [
      { name: 'prod', base_url: 'https://prod.test', api_token: ROW, inject_params: [{ name: 'PAT', value: DEEP }] },
    ];
    const values = {
      base_url: 'https://web.test',
      key: TOP,
      label: 'plain',
      borrowed: '{connector:vault.token}',
      instances: rows,
    };
    expect((await say('PUT', '/api/connectors/web/settings', { values })).status).toBe(200);
    await say('PUT', '/api/connectors/vault/settings', { values: { token: OTHER } });

    const { extension, id } = await pairExtension(forge);
    const scripts: string[] = [];
    extension.onRequest = (asked) => {
      if (asked.method === 'connector.probe')
        asked.reply({ ok: true, url: `https://web.test/?t=${encodeURIComponent(TOP)}` });
      else if (asked.method === 'dom.inspect')
        asked.reply({ url: 'https://web.test/' }, JSON.stringify({ seen: CANARIES }));
      else if (scripts.push('run') % 3 === 0)
        asked.fails({ code: 'script_failed', message: `it says ${TOP} and ${ROW}`, details: { at: DEEP } });
      else asked.returns({ said: CANARIES, [OTHER]: 1 }, `https://web.test/#${encodeURIComponent(OTHER)}`);
    };
    const outcomes: string[] = [];
    for (const [tool, args] of [
      ['read', { q: 'x', instance: 'prod' }],
      ['read', {}],
      ['read', { q: 'again' }],
      ['wipe', {}],
      ['borrow', {}],
      ['borrow_url', {}],
    ] as const) {
      const answer = await call(forge, `web.${tool}`, args);
      heard.push(answer.text, (await call(forge, `web.${tool}`, args, { dry_run: true })).text);
      outcomes.push(answer.body.ok === true ? 'ok' : answer.body.error.code);
    }
    expect(outcomes).toEqual(['ok', 'ok', 'script_failed', 'ok', 'secret_not_allowed_here', 'secret_not_allowed_here']);
    expect((await say('POST', '/api/connectors/web/test')).body.ok).toBe(true);
    const inspect = { host_match: 'https://web.test/*', action: { kind: 'outline', max_nodes: 5 } };
    expect((await say('POST', '/api/browsers/inspect', inspect)).status).toBe(200);
    await say('GET', '/api/browsers');
    await say('GET', '/api/calls?limit=100');
    const { body } = await say('GET', '/api/calls?limit=100');
    for (const one of body.calls) await say('GET', `/api/calls/${String(one.id)}`);

    expect(extension.frames.length).toBeGreaterThan(6);
    // What is not secret did arrive, so the frames are the true ones.
    expect(extension.frames.join('')).toContain('https://prod.test');
    await say('POST', `/api/browsers/${id}/revoke`);
    await forge.close();
    const places = [
      ...extension.frames.map((frame, index) => ({ name: `frame ${index}`, bytes: Buffer.from(frame) })),
      ...heard.map((text, index) => ({ name: `answer ${index}`, bytes: Buffer.from(text) })),
      { name: 'log', bytes: Buffer.from(forge.logLines.join('')) },
      ...filesBelow(forge.dataDir.root),
    ];
    expect(findCanaries(places, CANARIES)).toEqual([]);
    // What Forge proves itself by is in its own file and nowhere else.
    const ownKey = readFileSync(forge.dataDir.bridgeKey, 'utf8').split('\n')[1]!;
    expect(findCanaries(places, [ownKey])).toHaveLength(1);
  });
});
