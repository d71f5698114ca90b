import { expect, it } from 'vitest';
import { filesBelow } from '../testing/canaries.ts';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';

const SECRET = 'q7Zk2Vw9Xr4Tn8Lm3Jp6Hs1Df5Gb0Cyu';
const PART_CHARS = 6;

const SHELL = `env: { S: '{settings.s}' }, parameters: { n: { type: integer, required: true } }`;
const CUTS = `id: cuts
name: Cuts
version: "1.0.0"
settings: { base_url: {}, s: { type: secret } }
test: { request: { url: '{base_url}/text/284', headers: { X-Key: '{settings.s}' } } }
tools:
  get: { protocol: http, description: Gets., parameters: { mode: { required: true, url_encoding: none }, n: { type: number } }, request: { url: '{base_url}/{args.mode}', headers: { X-Key: '{settings.s}' } } }
  fail: { protocol: shell, description: Fails., command: [sh, -c, 'printf "%s%$0s" "$S" x >&2; exit 3', '{args.n}'], ${SHELL} }
  hang: { protocol: shell, description: Hangs., timeout_ms: 300, command: [sh, -c, 'printf "%s%$0s" "$S" x; exec sleep 60', '{args.n}'], ${SHELL} }
  flood: { protocol: shell, description: Prints a lot., command: [sh, -c, 'printf "%s%$0s" "$S" x', '{args.n}'], ${SHELL} }
`;

const around = (at: number) => `${'.'.repeat(at)}${SECRET}${'.'.repeat(20_000)}`;

const BODIES: Record<string, (at: number) => string> = {
  text: around,
  json: (at) => JSON.stringify({ message: around(at) }),
  shapeless: (at) => JSON.stringify({ x: around(at) }),
  html: (at) => `<p>${around(at)}</p>`,
  ok: (at) => JSON.stringify({ x: around(at) }),
  ok_text: around,
};
const TYPES: Record<string, string> = { html: 'text/html', text: 'text/plain', ok_text: 'text/plain' };

it('C-80 no half of a secret comes out where a text is cut: answers, traces, results, tests and their windows', async () => {
  const forge = await testForge({ FORGE_LOG: 'trace' });
  const { url, seen } = await upstream((request, response) => {
    const [, mode = '', at = ''] = request.url.split('/');
    const status = mode.startsWith('ok') ? 200 : 500;
    response.writeHead(status, { 'content-type': TYPES[mode] ?? 'application/json' }).end(BODIES[mode]?.(Number(at)));
  });
  const heard: string[] = [];
  const say = async (...request: Parameters<typeof forge.request>) => {
    const answer = await forge.request(...request);
    heard.push(answer.text);
    return answer.body;
  };
  await say('POST', '/api/connectors/install-local', { yaml: CUTS });
  await say('PUT', '/api/connectors/cuts/settings', { values: { base_url: url, s: SECRET } });
  const call = (tool: string, args: object) => say('POST', `/api/tools/cuts.${tool}/call`, { args });

  for (const mode of ['text', 'json', 'shapeless', 'html']) {
    expect((await call('get', { mode: `${mode}/980` })).error.code).toBe('upstream_error');
  }
  for (const [mode, cut] of [
    ['ok', 16_000],
    ['ok_text', 16_000],
    ['ok', 4000],
    ['ok', 400],
    ['ok', 800],
    ['text', 2000],
    ['text', 8000],
  ] as const) {
    for (const distance of [10, 16, 24]) await call('get', { mode: `${mode}/${cut - distance}` });
  }
  // The head of a result ends before the limit, by what is said about the rest of it.
  for (const mode of ['ok', 'ok_text']) {
    const { head } = (await call('get', { mode: `${mode}/16500` })).result;
    for (const distance of [-10, 10, 16, 24]) await call('get', { mode: `${mode}/${String(head.length - distance)}` });
  }
  for (const at of [7984, 15_984]) {
    const { handle } = await call('get', { mode: `ok_text/${at}` });
    for (const window of [`?limit=${at + 16}`, `?offset=${at + 6}`, '?search=q7Zk', '?search=secret', '?path=']) {
      await say('GET', `/api/results/${String(handle)}${window}`);
    }
  }
  for (const n of [984, 990, 968]) expect((await call('fail', { n })).error.code).toBe('command_failed');
  expect((await call('hang', { n: 484 })).error.code).toBe('command_timeout');
  expect((await call('flood', { n: 1024 * 1024 - 16 })).ok).toBe(true);
  await call('get', { mode: 'text/1', n: around(60) });
  await call('get', { mode: 'text/1', [around(40)]: 1 });
  expect(await say('POST', '/api/connectors/cuts/test')).toMatchObject({ ok: false, status: 500 });
  const { calls } = await say('GET', '/api/calls?limit=1000');
  for (const { id } of calls) await say('GET', `/api/calls/${String(id)}`);
  await forge.close();

  expect(seen.every(({ headers }) => headers['x-key'] === SECRET)).toBe(true);
  expect(heard.join('')).toContain('[secret]');
  const parts = Array.from({ length: SECRET.length - PART_CHARS + 1 }, (_, at) => SECRET.slice(at, at + PART_CHARS));
  const places = [
    ...filesBelow(forge.dataDir.root),
    { name: 'the log', bytes: Buffer.from(forge.logLines.join('')) },
    ...heard.map((text, index) => ({ name: `answer ${index}: ${text.slice(0, 200)}`, bytes: Buffer.from(text) })),
  ];
  const leaks = places.flatMap(({ name, bytes }) =>
    parts.filter((part) => bytes.includes(part)).map((part) => `${name}: ${part}`),
  );
  expect(leaks).toEqual([]);
});
