import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redactionWorld, type RedactionWorld } from '../testing/redaction-world.ts';

const PIN = '482913';
const STRONG = 'vt-8c1f0e7a5b2d4936';

const VAULT = `id: vault
name: Vault
version: "1.0.0"
settings: { base_url: {}, pin: { type: secret }, token: { type: secret } }
auth: { type: header, name: X-Pin, value: '{settings.pin}' }
tools:
  echo: { protocol: http, description: Echoes., parameters: { q: { required: true } }, request: { method: POST, url: '{base_url}/echo', headers: { X-Token: '{settings.token}' }, body: { q: '{args.q}' } } }
  quiet: { protocol: http, description: Echoes its body., parameters: { q: { required: true } }, request: { method: POST, url: '{base_url}/quiet', body: { q: '{args.q}' } } }
  pair: { protocol: http, description: Has two., parameters: { a: {}, b: {} }, request: { method: POST, url: '{base_url}/quiet', body: { a: '{args.a}', b: '{args.b}', c: '{args.a}{args.b}' } } }
  wipe: { protocol: http, description: Wipes., destructive: true, parameters: { q: { required: true } }, request: { method: POST, url: '{base_url}/quiet', body: { q: '{args.q}' } } }
`;
const OTHER = `id: other
name: Other
version: "1.0.0"
settings: { base_url: {} }
tools:
  echo: { protocol: http, description: Echoes., parameters: { q: { required: true } }, request: { method: POST, url: '{base_url}/echo', body: { q: '{args.q}' } } }
`;

let world: RedactionWorld;
const ends: (() => void)[] = [];
afterAll(() => ends.reverse().forEach((end) => end()));

beforeAll(async () => {
  world = await redactionWorld((end) => ends.push(end));
  const base_url = world.service.url;
  await world.install(VAULT, { base_url, pin: PIN, token: STRONG });
  await world.install(OTHER, { base_url });
});

const call = (tool: string, args: object, more: object = {}) =>
  world.ask('POST', `/api/tools/${tool}/call`, { args, ...more });

/** All numbers of six digits in [from, to), in one text. */
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index).padStart(6, '0')).join(' ');

/** Halves the candidates as long as an answer to one half says something that the answer to the other does not. */
async function search(isMasked: (text: string) => Promise<boolean>, from: number, to: number): Promise<number[]> {
  const hits: number[] = [];
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (await isMasked(numbers(low, middle))) high = middle;
    else if (await isMasked(numbers(middle, high))) low = middle;
    else return hits;
    hits.push(high - low);
  }
  return [...hits, low];
}

describe('S5 masks tell nobody what is saved', () => {
  it('S5 fifteen dry runs of another connector do not find a secret of six digits', async () => {
    const isMasked = async (q: string) =>
      JSON.stringify(await call('other.echo', { q }, { dry_run: true })).includes('[secret]');
    expect(await search(isMasked, 470_000, 490_000)).toEqual([]);
  });

  const masked = (answer: unknown) => JSON.stringify(answer).includes('[secret]');

  it.each<[string, (q: string) => Promise<unknown>]>([
    ['an echo of another connector', (q) => call('other.echo', { q })],
    ['a refused argument', (q) => call('other.echo', { [q]: 1 })],
    [
      'a tool that does not exist',
      (q) => world.ask('POST', `/api/tools/${encodeURIComponent(q.slice(0, 90))}/call`, { args: {} }),
    ],
    [
      'a setting of another connector',
      (q) => world.ask('PUT', '/api/connectors/other/settings', { values: { [q.slice(0, 50)]: 1 } }),
    ],
    [
      'a row of the log',
      async (q) => world.ask('GET', `/api/calls/${String((await call('other.echo', { q })).call_id)}`),
    ],
  ])('S5 %s is masked against no secret of the vault', async (_, attempt) => {
    expect(masked(await attempt(PIN))).toBe(false);
    expect(masked(await attempt(STRONG))).toBe(false);
  });

  it.each<[string, (pin: string) => string]>([
    ['as it is', (pin) => pin],
    ['in hex', (pin) => Buffer.from(pin).toString('hex')],
    ['in base64', (pin) => Buffer.from(pin).toString('base64')],
    ['inside Basic', (pin) => `Basic ${Buffer.from(`demo:${pin}`).toString('base64')}`],
    ['in an address', (pin) => Array.from(pin, (digit) => `%3${digit}`).join('')],
    ['beside other digits', (pin) => `1${pin}1`],
    ['its first half', (pin) => pin.slice(0, 3)],
  ])('S5 a dry run of the vault itself says nothing about a guess %s', async (_, spell) => {
    const [right, wrong] = await Promise.all(
      [PIN, '482914'].map(async (pin) => {
        const { dry_run } = await call('vault.echo', { q: spell(pin) }, { dry_run: true });
        return JSON.stringify(dry_run)
          .replaceAll(JSON.stringify(spell(pin)).slice(1, -1), 'guess')
          .replaceAll(spell(pin), 'guess');
      }),
    );
    expect(right).toBe(wrong);
    // What Forge would fill in itself is masked, by its place.
    expect(right).toContain('"x-pin":"[secret]"');
  });

  it('S5 a guess that is split over several fields is not put together', async () => {
    const { dry_run } = await call('vault.pair', { a: PIN.slice(0, 3), b: PIN.slice(3) }, { dry_run: true });
    expect(dry_run.body).toBe(JSON.stringify({ a: '482', b: '913', c: PIN }));
  });

  it('S5 a question and the row of a call show a guess as the caller sent it, right or wrong', async () => {
    for (const q of [PIN, '482914']) {
      const { approval_id } = await call('vault.wipe', { q });
      const { approvals } = await world.ask('GET', '/api/approvals');
      expect(approvals.find(({ id }: { id: string }) => id === approval_id).args).toEqual({ q });
      const { call_id } = await call('vault.quiet', { q });
      expect(await world.ask('GET', `/api/calls/${String(call_id)}`)).toMatchObject({
        args: { q },
        trace: { request: { headers: { 'x-pin': '[secret]' }, body: JSON.stringify({ q }) } },
      });
    }
  });

  it('S5 thousands of guesses through an echo of the vault itself come back alike, and cut in halves as well', async () => {
    const echoes = async (text: string) => (await call('vault.quiet', { q: text })).result;
    const shown = async (from: number, to: number) =>
      JSON.stringify(await echoes(numbers(from, to))).replaceAll(/\d{6}/g, 'digits');
    // The first hundred words of this kind are free; they are spent on numbers that are none.
    let next = 100_000;
    for (const size of [50, 25, 10, 5, 5, 2, 1, 1, 1, 1]) {
      await call('vault.quiet', { q: numbers(next, next + size) });
      next += size;
    }
    const [low, high] = [await shown(482_000, 482_414), await shown(482_500, 482_914)];
    expect(high).toBe(low);
    expect(JSON.stringify(await echoes('482911 482912 482913'))).toContain('[secret] [secret] [secret]');
    const isMasked = async (q: string) => /\d{6}/.test(JSON.stringify(await echoes(q)));
    expect(await search(isMasked, 480_000, 482_914)).toEqual([]);
  });

  it('C-80 S5 the vault’s own secrets are masked where its service repeats them', async () => {
    const { result } = await call('vault.echo', { q: 'x' });
    expect(result.headers['x-pin']).toBe('[secret]');
    expect(result.headers['x-token']).toBe('[secret]');
  });

  it('S5 an argument that repeats a strong secret is masked wherever it is written down', async () => {
    const { call_id, result } = await call('vault.quiet', { q: `my ${STRONG}` });
    expect(result.body).toBe('{"q":"my [secret]"}');
    expect(JSON.stringify(await world.ask('GET', `/api/calls/${String(call_id)}`))).not.toContain(STRONG);
    expect(
      masked(
        await call('vault.quiet', { q: STRONG.slice(0, -1) }, { dry_run: true }).then(({ dry_run }) => dry_run.body),
      ),
    ).toBe(false);
  });

  it('S5 a limited MCP client is told nothing about connectors that it may not use', async () => {
    const { token } = await world.ask('POST', '/api/mcp/clients', { name: 'limited', connectors: ['other'] });
    const rpc = async (name: string, args: object) => {
      const response = await fetch(`${world.forge.url}/mcp`, {
        method: 'POST',
        headers: {
          ...{ Authorization: `Bearer ${String(token)}`, 'Content-Type': 'application/json' },
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2025-06-18',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      });
      return response.text();
    };
    for (const guess of [PIN, STRONG]) {
      const echoed = await rpc('other__echo', { q: guess });
      expect(echoed).toContain(guess);
      const texts = [
        echoed,
        await rpc(guess, {}),
        await rpc('vault__echo', { q: guess }),
        await rpc('other__echo', { [guess]: 1 }),
      ];
      expect(texts.filter((text) => text.includes('[secret]'))).toEqual([]);
    }
  });

  it('S15 what an MCP client reads of a failure is as long as a result at the most', async () => {
    const { token } = await world.ask('POST', '/api/mcp/clients', { name: 'reader', connectors: ['other'] });
    const response = await fetch(`${world.forge.url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${String(token)}`, 'Content-Type': 'application/json' },
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-06-18',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: {
          name: 'other__echo',
          arguments: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${'x'.repeat(50_000)}${index}`, 1])),
        },
      }),
    });
    const text = await response.text();
    expect(text).toContain('isError');
    expect(text.length).toBeLessThan(16_000);
  });

  it('S5 a short secret is warned about when it is saved', async () => {
    const short = await world.ask('PUT', '/api/connectors/vault/settings', { values: { pin: PIN } });
    expect(short.warnings).toEqual([
      { path: 'pin', label: 'pin', message: 'is shorter than 8 characters: Forge cannot mask it reliably in results' },
    ]);
    const long = await world.ask('PUT', '/api/connectors/vault/settings', { values: { token: STRONG } });
    expect(long.warnings).toEqual([]);
  });
});
