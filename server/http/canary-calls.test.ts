import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, findCanaries, spellings } from '../testing/canaries.ts';
import { tempFolder, testForge, type TestForge } from '../testing/forge.ts';
import { upstream, type Seen } from '../testing/upstream.ts';
import { callApproved } from '../tools/testing/call-approved.ts';

const KEY = 'cnry-Key/in+"a header"=7';
const PIN = '4929771034558812';
const ROW = 'cnry-In-A-Röw-ünïcode-42';
const INJECTED = 'cnry-nested\\backslash-&-amp;';
const PASSWORD = 'cnry-Password, exchänged/9?';
const API_TOKEN = 'cnry-api-token~in~a~header';
const PROGRAM = 'cnry-For-A-Program-$HOME-`x`';
const BEARERS = ['cnry-bearer.eyJhbGciOiJub25lIn0.one', 'cnry-bearer.eyJhbGciOiJub25lIn0.two'];
const SAVED = [KEY, PIN, ROW, INJECTED, PASSWORD, API_TOKEN, PROGRAM];
const CANARIES = [...SAVED, ...BEARERS];

const HTTP_TOOL = `parameters: { mode: { required: true, url_encoding: none }, id: { type: number } }, request: { method: POST, url: '{base_url}/{args.mode}', headers: { X-Key: '{settings.key}' }, query: { pin: '{settings.pin}' }, body_form: { a: '1' }, body_form_inject: { PIN: '{settings.pin}' }, body_form_inject_from: inject_params, capture_response_headers: [X-Echo, Set-Cookie] }`;

const ECHO = `id: echo
name: Echo
version: "1.0.0"
settings:
  key: { type: secret }
  pin: { type: secret }
  instances:
    type: instances
    fields:
      name: { required: true }
      base_url: {}
      api_token: { type: secret }
      inject_params: { type: instances, fields: { name: {}, value: { type: secret } } }
auth: { type: basic, username: ana, password: '{settings.api_token}' }
test: { request: { url: '{base_url}/body', headers: { X-Key: '{settings.key}' } }, ok_template: 'Hello {{[0].plain}} {{[0].base64}} {{[2].url}}' }
tools:
  get: { protocol: http, description: Gets., ${HTTP_TOOL} }
  wipe: { protocol: http, description: Wipes., destructive: true, ${HTTP_TOOL} }
  hook: { protocol: http, description: Has a secret in its path., request: { url: '{base_url}/hook/{settings.pin}/body' } }
  query: { protocol: http, description: Has a secret in its query., auth: { type: query, name: access_token, value: '{settings.key}' }, request: { url: '{base_url}/closed' } }
`;

const exchange = (id: string, auth: string, settings: string) => `id: ${id}
name: Login
version: "1.0.0"
settings: { base_url: {}, ${settings} }
auth: { type: bearer-token-exchange, exchange_url: '{base_url}/login', ${auth} }
tools:
  get: { protocol: http, description: Gets., parameters: { mode: { required: true } }, request: { url: '{base_url}/{args.mode}' } }
`;
const LOGIN = exchange('login', `exchange_body: { user: ana, password: '{settings.password}' }`, 'password: { type: secret }'); // prettier-ignore
const TOKEN = exchange('token', `api_token: '{settings.api_token}'`, 'api_token: { type: secret }');

// Two halves at a time, so that a secret is cut in two on its way out.
const IN_HALVES =
  'const s = process.env.S; process.stdout.write(s.slice(0, 9)); setTimeout(() => process.stdout.write(s.slice(9) + "\\n"), 60)';
// Every command line there is at the time, and the program's own environment.
const LOOK = `parameters: { out: { required: true } }, command: [sh, -c, 'cat /proc/[0-9]*/cmdline > "$0"; cat /proc/self/environ > "$0.env"; true', '{args.out}']`;

const PROGRAMS = `id: programs
name: Programs
version: "1.0.0"
settings: { s: { type: secret } }
tools:
  print: { protocol: shell, description: Prints., command: [sh, -c, 'printf "%s\\n" "$S"; printf %s "$S" | base64; printf %s "$S" | od -An -tx1 | tr -d " \\n"; printf %s "$S" >&2'], env: { S: '{settings.s}' } }
  fail: { protocol: shell, description: Fails., command: [sh, -c, 'echo "$S"; echo "$S" >&2; exit 3'], env: { S: '{settings.s}' } }
  hang: { protocol: shell, description: Hangs., timeout_ms: 500, command: [sh, -c, 'echo "waiting with $S"; exec sleep 60'], env: { S: '{settings.s}' } }
  halves: { protocol: shell, description: Prints in two parts., command: [node, -e, '${IN_HALVES}'], env: { S: '{settings.s}' } }
  folder: { protocol: shell, description: Starts nowhere., command: ['true'], cwd: '/nowhere/{settings.s}' }
  asked: { protocol: shell, description: Looks around with a secret., ${LOOK}, env: { S: '{settings.s}' } }
  unasked: { protocol: shell, description: Looks around without one., ${LOOK} }
`;

/** What a careless service might say: everything it was told, in every spelling it knows. */
function echoed(secrets: readonly string[]): Record<string, unknown>[] {
  return secrets.map((secret) => {
    const bytes = Buffer.from(secret);
    return {
      plain: secret,
      number: /^\d+$/.test(secret) ? Number(secret) : null,
      [`as a key: ${secret}`]: 1,
      url: encodeURIComponent(secret),
      form: new URLSearchParams({ x: secret }).toString(),
      hex: [bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
      base64: [0, 1, 2].map((before) => Buffer.concat([Buffer.alloc(before, 'u'), bytes]).toString('base64')),
      base64url: bytes.toString('base64url'),
      json: JSON.stringify({ inside: JSON.stringify(secret) }),
    };
  });
}

/** The secrets of each connector that talks to the service; a service knows what it was sent. */
const OF_CONNECTOR: Record<string, string[]> = {
  echo: [KEY, PIN, ROW, INJECTED],
  login: [PASSWORD],
  token: [API_TOKEN],
};

/** A service that gives away whatever it can, in the part of an answer that the path asks for. */
function careless() {
  const logins: Record<string, number> = {};
  let asking = '';
  const known = () => [...(OF_CONNECTOR[asking] ?? []), ...BEARERS.slice(0, logins[asking] ?? 0)];
  const ascii = () => known().map((secret) => encodeURIComponent(secret)).join(' '); // prettier-ignore
  const body = () => JSON.stringify(echoed(known()));
  const modes: Record<string, (response: ServerResponse) => void> = {
    body: (response) => response.end(body()),
    text: (response) => response.setHeader('content-type', 'text/plain').end(known().join('\n')),
    headers: (response) => response.writeHead(200, { 'x-echo': ascii(), 'set-cookie': `a=${ascii()}` }).end('{}'),
    error: (response) =>
      response.writeHead(500).end(JSON.stringify({ message: known().join(' '), errors: echoed(known()) })),
    html: (response) =>
      response.writeHead(400, { 'content-type': 'text/html' }).end(`<p>${known().join('</p><p>')}</p>`),
    refused: (response) => response.writeHead(401, { 'x-echo': ascii() }).end(body()),
    elsewhere: (response) => response.writeHead(302, { location: `http://other.test/?token=${ascii()}` }).end(),
    large: (response) => response.end(JSON.stringify({ items: Array.from({ length: 400 }, (_, id) => ({ id, said: echoed(known()) })) })), // prettier-ignore
    file: (response) =>
      response
        .writeHead(200, {
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${PIN}.zip"`,
        })
        .end(
          Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe]), Buffer.from(`${body()} ${known().join(' ')}`)]),
        ),
    closed: (response) => response.socket?.destroy(),
    login: (response) => {
      const count = logins[asking] ?? 0;
      response.end(JSON.stringify({ bearerToken: BEARERS[count % 2], said: echoed(known()) }));
      logins[asking] = count + 1;
    },
    'bad-login': (response) => response.writeHead(403).end(body()),
  };
  return (seen: Seen, response: ServerResponse) => {
    const parts = new URL(seen.url, 'http://x.test').pathname.split('/');
    asking = parts[1] ?? '';
    const mode = parts.at(-1) ?? '';
    (modes[mode] ?? modes['error'])?.(response);
  };
}

interface World {
  forge: TestForge;
  seen: Seen[];
  /** Everything Forge has said. */
  heard: string[];
  say: TestForge['request'];
  call: (tool: string, args?: unknown, more?: object, headers?: Record<string, string>) => ReturnType<TestForge['request']>; // prettier-ignore
}

async function world(): Promise<World> {
  const forge = await testForge({ FORGE_LOG: 'trace' });
  const { url: origin, seen } = await upstream(careless());
  const heard: string[] = [];
  const say: World['say'] = async (...request) => {
    const answer = await forge.request(...request);
    heard.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };
  const rows = [
    { name: 'prod', base_url: `${origin}/echo`, api_token: ROW, inject_params: [{ name: 'PAT', value: INJECTED }] },
  ];
  const settings: Record<string, [string, object]> = {
    echo: [ECHO, { key: KEY, pin: PIN, instances: rows }],
    login: [LOGIN, { base_url: `${origin}/login`, password: PASSWORD }],
    token: [TOKEN, { base_url: `${origin}/token`, api_token: API_TOKEN }],
    programs: [PROGRAMS, { s: PROGRAM }],
  };
  for (const [id, [yaml, values]] of Object.entries(settings)) {
    expect((await say('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
    expect((await say('PUT', `/api/connectors/${id}/settings`, { values })).status).toBe(200);
  }
  const call: World['call'] = (tool, args = {}, more = {}, headers = {}) =>
    say('POST', `/api/tools/${tool}/call`, { args, ...more }, headers);
  return { forge, seen, heard, say, call };
}

/** What whoever watches a stream puts together from its parts. */
function outputOf(events: string): string {
  const parts = [...events.matchAll(/^event: output\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  return parts.map(({ text }) => String(text)).join('');
}

/** Whatever a secret can go through on its way to a service and back. */
async function callEverything({ say, call, seen, heard }: World): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  const note = (name: string, { body }: { body: { ok?: boolean; error?: { code: string } } }) => {
    outcomes[name] = body.ok === true ? 'ok' : (body.error?.code ?? 'none');
  };
  for (const mode of ['body', 'text', 'headers', 'error', 'html', 'refused', 'elsewhere', 'file', 'large', 'closed']) {
    note(mode, await call('echo.get', { mode }));
    await say('POST', '/api/connector-tool', { plugin_id: 'echo', tool: 'get', input: { mode } });
  }
  note('hook', await call('echo.hook'));
  note('query', await call('echo.query'));
  for (const [connector, mode] of [
    ['login', 'body'],
    ['login', 'refused'],
    ['token', 'error'],
    ['token', 'body'],
  ])
    // prettier-ignore
    note(`${String(connector)} ${String(mode)}`, await call(`${String(connector)}.get`, { mode }));
  for (const tool of ['print', 'fail', 'hang', 'halves', 'folder']) {
    note(tool, await call(`programs.${tool}`));
    const stream = await call(`programs.${tool}`, {}, {}, { Accept: 'text/event-stream' });
    heard.push(outputOf(stream.text));
  }
  for (const tool of ['echo.get', 'echo.hook', 'echo.query', 'login.get', 'token.get', 'programs.print'])
    note(`dry ${tool}`, await call(tool, { mode: 'body' }, { dry_run: true }));
  await say('POST', '/api/connectors/echo/test');
  expect(seen.length).toBeGreaterThan(25);
  return outcomes;
}

/** A caller that has learned a secret says it back to Forge. */
async function sayThemBack({ say, call }: World): Promise<void> {
  for (const secret of OF_CONNECTOR['echo'] ?? []) {
    await call('echo.get', { mode: secret });
    await call('echo.get', { mode: 'body', id: secret });
    await call('echo.get', { mode: 'body', [secret]: 1 });
    await call('echo.get', { mode: secret.replaceAll(/[^\w-]/g, '') + secret }, { dry_run: true });
    await call('echo.get', { mode: 'body', instance: secret });
    const asked = await call('echo.wipe', { mode: secret.replaceAll(/[\\?]/g, '') });
    await say('POST', `/api/approvals/${String(asked.body.approval_id)}`, { decision: 'deny' });
    await say('POST', '/api/connector-tool', { plugin_id: 'echo', tool: 'get', input: { mode: secret } });
  }
}

async function readEverything({ forge, say, call }: World): Promise<void> {
  const wiped = await call('echo.wipe', { mode: 'body' });
  await say('GET', '/api/approvals');
  await say('POST', `/api/approvals/${String(wiped.body.approval_id)}`, { decision: 'approve' });
  await call('echo.wipe', { mode: 'body' }, { approval_id: wiped.body.approval_id });
  const large = await call('echo.get', { mode: 'large' });
  const handle = String(large.body.handle);
  for (const query of [
    '',
    '?path=items&offset=390',
    '?path=items[3].said',
    `?search=${encodeURIComponent(KEY)}`,
    '?search=secret',
  ])
    await say('GET', `/api/results/${handle}${query}`);
  const file = await call('echo.get', { mode: 'file' });
  await say('GET', String(file.body.result.file_url));
  const { body } = await say('GET', '/api/calls?limit=1000');
  for (const { id } of body.calls) await say('GET', `/api/calls/${String(id)}`);
  await say('GET', `/api/calls?search=${encodeURIComponent(PIN)}`);
  expect(forge.routes.map(({ path: place }) => place)).toContain('/metrics');
  for (const { method, path: place } of forge.routes) {
    // Events go on as long as somebody listens.
    const once = place.replace(/^\/api\/events$/, '/api/events?after=0&follow=false');
    if (method === 'GET') await say('GET', once.replace(':id', 'echo').replace(':host', 'x'));
  }
}

describe('C-80 C-95 K-08', () => {
  it('no byte of a secret comes out of a call: not in answers, logs, traces, results, files or the database', async () => {
    const all = await world();
    const outcomes = await callEverything(all);
    expect(outcomes).toMatchObject({
      body: 'ok', text: 'ok', headers: 'ok', error: 'upstream_error', refused: 'login_required', elsewhere: 'redirect_refused',
      file: 'ok', large: 'ok', closed: 'upstream_closed', hook: 'ok', query: 'upstream_closed',
      'login body': 'ok', 'login refused': 'login_required', 'token body': 'ok',
      print: 'ok', fail: 'command_failed', hang: 'command_timeout', halves: 'ok', folder: 'command_failed',
    }); // prettier-ignore
    await sayThemBack(all);
    await readEverything(all);
    await all.forge.close();

    // The secrets did go out, to where they belong.
    const sent = Buffer.from(JSON.stringify(all.seen));
    const went = CANARIES.filter((secret) => spellings(secret).some((spelling) => sent.includes(spelling)));
    expect(went).toEqual(CANARIES.filter((secret) => secret !== PROGRAM));
    expect(all.heard.join('\n')).toContain('[secret]');

    const places = [
      ...filesBelow(all.forge.dataDir.root),
      { name: 'the log', bytes: Buffer.from(all.forge.logLines.join('')) },
      ...all.heard.map((text, index) => ({ name: `answer ${index}`, bytes: Buffer.from(text) })),
    ];
    expect(places.some(({ name }) => name.startsWith('files'))).toBe(true);
    expect([...new Set(findCanaries(places, CANARIES))]).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'C-99 a secret is in the environment of the program that asks for it, and in no command line',
    async () => {
      const { call, forge } = await world();
      const folder = tempFolder();
      const look = async (tool: string) => {
        const out = path.join(folder, tool);
        // The argument and the secret are in one command, so a person is asked.
        expect((await callApproved(forge, `programs.${tool}`, { out })).body).toMatchObject({ ok: true });
        return { commands: readFileSync(out, 'utf8'), environment: readFileSync(`${out}.env`, 'utf8') };
      };
      await call('echo.get', { mode: 'body' });
      const [asked, unasked] = [await look('asked'), await look('unasked')];
      expect(asked.environment).toContain(`S=${PROGRAM}`);
      expect(unasked.environment).toContain('PATH=');
      expect(unasked.commands).toContain('/proc/[0-9]*/cmdline');
      const places = [asked.commands, unasked.commands, unasked.environment].map((text, index) => ({
        name: String(index),
        bytes: Buffer.from(text),
      }));
      expect(findCanaries(places, CANARIES)).toEqual([]);
    },
  );
});
