import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { manifest, testForge, type TestForge } from '../../testing/forge.ts';
import { signInPage, type SignedInPage } from '../../testing/signed-in-page.ts';
import { createConfirmations, type AskedRequest, type Described } from './confirmations.ts';
import { describeSettings } from './describe-settings.ts';
import { valueLines } from './describe-request.ts';

const ASKED: AskedRequest = { sessionId: 'page_1', method: 'POST', target: '/api/x?y=1', bodySha256: 'abc' };
const WHAT: Described = { title: 'Do it', verb: 'Do', lines: [] };

describe('S1 a confirmation', () => {
  it('lets one request through, once, after a person has said so', () => {
    const confirmations = createConfirmations();
    const id = confirmations.ask(ASKED, WHAT);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(() => confirmations.use(id, ASKED)).toThrow('was not confirmed');
    expect(confirmations.decide(id, 'confirmed')).toBe(true);
    expect(confirmations.decide(id, 'confirmed')).toBe(false);
    confirmations.use(id, ASKED);
    expect(() => confirmations.use(id, ASKED)).toThrow('was not confirmed');
  });

  it.each([
    ['another session', { sessionId: 'page_2' }],
    ['another method', { method: 'PUT' }],
    ['another path', { target: '/api/z?y=1' }],
    ['another query', { target: '/api/x?y=2' }],
    ['another body', { bodySha256: 'abd' }],
  ])('is worth nothing for %s, and stays good for its own', (_title, change) => {
    const confirmations = createConfirmations();
    const id = confirmations.ask(ASKED, WHAT);
    confirmations.decide(id, 'confirmed');
    expect(() => confirmations.use(id, { ...ASKED, ...change })).toThrow('was not confirmed');
    confirmations.use(id, ASKED);
  });

  it('that was cancelled, is too old or was pushed out is none', () => {
    let at = 0;
    const confirmations = createConfirmations({ now: () => at });
    const cancelled = confirmations.ask(ASKED, WHAT);
    confirmations.decide(cancelled, 'cancelled');
    expect(confirmations.decide(cancelled, 'confirmed')).toBe(false);
    expect(() => confirmations.use(cancelled, ASKED)).toThrow('was not confirmed');
    const old = confirmations.ask(ASKED, WHAT);
    confirmations.decide(old, 'confirmed');
    at += 2 * 60_000;
    expect(() => confirmations.use(old, ASKED)).toThrow('was not confirmed');
    const first = confirmations.ask(ASKED, WHAT);
    const others = confirmations.ask({ ...ASKED, sessionId: 'page_2' }, WHAT);
    for (let count = 0; count < 16; count += 1) confirmations.ask(ASKED, WHAT);
    expect(confirmations.describe(first)).toBeNull();
    expect(confirmations.describe(others)).toEqual(WHAT);
  });
});

describe('S1 what a person reads', () => {
  it('masks what is called a secret in a request that nobody has written words for', () => {
    expect(valueLines({ a: [{ b: 1 }], api_key: 'hush', token: 'hush', empty: {} })).toEqual([
      { label: 'a[0].b', text: '1' },
      { label: 'api_key', text: '[secret]' },
      { label: 'token', text: '[secret]' },
      { label: 'empty', text: '{}' },
    ]);
  });

  it('names what changes in settings, row by row, and no secret', () => {
    const secret = (saved_at: string) => ({ $secret: true, saved_at });
    const row = { $id: 'abcdef12', name: 'Main', base_url: 'https://a.test', token: secret('1') };
    const { lines } = describeSettings('Jira', {
      before: { plain: 'x', gone: 'y', instances: [row] },
      after: { plain: 'x', gone: null, instances: [{ ...row, base_url: 'https://evil.test', token: secret('2') }] },
    });
    expect(lines).toEqual([
      { label: 'gone', text: 'is removed (was y)' },
      { label: 'instances[Main #abcdef].base_url', text: 'becomes https://evil.test (was https://a.test)' },
      { label: 'instances[Main #abcdef].token', text: 'a new secret replaces the old one' },
    ]);
  });
});

/** A request to the confirming name, with the headers that a browser would set. */
function atLocalhost(forge: TestForge, method: string, path: string, headers: Record<string, string>, body?: string) {
  const { hostname, port } = new URL(forge.url);
  const Host = `localhost:${port}`;
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = { Host, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers };
    const request = httpRequest(
      { hostname, port, method, path, headers: sent, setHost: false, agent: false },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function world() {
  const forge = await testForge();
  await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
  return { forge, page: await signInPage(forge), own: `http://localhost:${new URL(forge.url).port}` };
}

const PLACE = '/api/connectors/demo/settings';
const VALUES = { values: { base_url: 'https://evil.test/<b>"x"' } };

async function asked(forge: TestForge, page: SignedInPage): Promise<string> {
  const answer = await forge.request('PUT', PLACE, VALUES, page.headers);
  expect([answer.status, answer.body.error.code]).toEqual([428, 'confirmation_required']);
  return String(answer.body.error.details.confirmation_id);
}

describe('S1 the document in which a person confirms', () => {
  it('shows the real request as text, to this page’s frames only', async () => {
    const { forge, page, own } = await world();
    const id = await asked(forge, page);
    const frame = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };
    const { status, text, headers } = await atLocalhost(forge, 'GET', `/confirm/${id}`, frame);
    expect(status).toBe(200);
    expect(text).toContain('Save the settings of Demo');
    expect(text).toContain('becomes https://evil.test/&#60;b&#62;&#34;x&#34;');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(`frame-ancestors ${forge.url};`);
    expect(policy).toMatch(
      /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
    );
    expect(policy).not.toContain('unsafe');
    expect(headers['x-frame-options']).toBeUndefined();
    // Under the page's own name there is no such document.
    expect((await forge.request('GET', `/confirm/${id}`, undefined, page.headers)).status).toBe(404);
    const answer = { Origin: own, 'Sec-Fetch-Site': 'same-origin' };
    expect((await atLocalhost(forge, 'POST', `/confirm/${id}`, answer, '{"decision":"confirmed"}')).status).toBe(204);
    const confirmed = { ...page.headers, 'X-Forge-Confirmation': id };
    expect((await forge.request('PUT', PLACE, { values: { base_url: 'https://other.test' } }, confirmed)).status).toBe(
      403,
    );
    expect((await forge.request('PUT', PLACE, VALUES, confirmed)).status).toBe(200);
    expect((await forge.request('PUT', PLACE, VALUES, confirmed)).status).toBe(403);
  });

  it('names the tools that an install or a review sets to run without asking', async () => {
    const { forge, page } = await world();
    const yaml = `${manifest()}  push: { protocol: http, description: Push it., request: { method: POST, url: 'https://demo.test/push' } }\n`;
    const shownFor = async (path: string, body: object): Promise<string> => {
      const { status, body: refused } = await forge.request('POST', path, body, page.headers);
      expect(status).toBe(428);
      const id = String(refused.error.details.confirmation_id);
      const frame = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };
      return (await atLocalhost(forge, 'GET', `/confirm/${id}`, frame)).text;
    };
    const installing = await shownFor('/api/connectors/install-local?on=demo.push', { yaml });
    expect(installing).toMatch(/Will run without asking[^]*?demo\.push/);
    expect(await shownFor('/api/connectors/install-local', { yaml })).not.toContain('Will run without asking');

    expect((await forge.request('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
    const { sha256 } = (await forge.request('GET', '/api/connectors/demo/review')).body;
    const accepting = { sha256, modes: { 'demo.push': 'never' } };
    expect(await shownFor('/api/connectors/demo/accept', accepting)).toMatch(/Will never run[^]*?demo\.push/);
    const other = { ...accepting, sha256: 'f'.repeat(64) };
    const stale = await forge.request('POST', '/api/connectors/demo/accept', other, page.headers);
    expect([stale.status, stale.body.error.code]).toEqual([409, 'conflict']);
  });

  it.each([
    ['no Origin', { Origin: '', 'Sec-Fetch-Site': 'same-origin' }],
    ['the page’s Origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['the page’s Origin, with the site made up', { 'Sec-Fetch-Site': 'same-origin' }],
    ['another port of localhost', { Origin: 'http://localhost:1', 'Sec-Fetch-Site': 'same-site' }],
    ['no Origin at all', { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }],
    ['the right Origin from another site', { Origin: 'own', 'Sec-Fetch-Site': 'cross-site' }],
    ['the right Origin without the browser’s word', { Origin: 'own' }],
    ['the right Origin with upper case', { Origin: 'OWN', 'Sec-Fetch-Site': 'same-origin' }],
    ['a form', { Origin: 'own', 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'text/plain' }],
  ])('is not answered by a request with %s', async (_title, given: Record<string, string>) => {
    const { forge, page, own } = await world();
    const id = await asked(forge, page);
    const origin = { own, OWN: own.toUpperCase() }[given['Origin'] ?? ''] ?? given['Origin'] ?? forge.url;
    const { Origin: _origin, ...rest } = given;
    const headers = { ...(origin === '' ? {} : { Origin: origin }), ...rest };
    const { status } = await atLocalhost(forge, 'POST', `/confirm/${id}`, headers, '{"decision":"confirmed"}');
    expect([403, 415]).toContain(status);
    expect((await forge.request('PUT', PLACE, VALUES, { ...page.headers, 'X-Forge-Confirmation': id })).status).toBe(
      403,
    );
  });

  it('says the same about a question that is gone as about one that never was', async () => {
    const { forge } = await world();
    const { status, text } = await atLocalhost(forge, 'GET', `/confirm/${'0'.repeat(32)}`, {});
    expect([status, text.includes('no longer waiting'), text.includes('id="confirm"')]).toEqual([404, true, false]);
  });

  it('a mistake in the request is told before anybody is asked', async () => {
    const { forge, page } = await world();
    const wrong = await forge.request('PUT', PLACE, { values: { nothing: 1 } }, page.headers);
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_settings']);
    const stale = await forge.request('PUT', PLACE, { ...VALUES, revision: 99 }, page.headers);
    expect(stale.status).toBe(412);
    const yaml = await forge.request('POST', '/api/connectors/install-local', { yaml: 'id: [' }, page.headers);
    expect([yaml.status, yaml.body.error.code]).toEqual([400, 'invalid_manifest']);
  });

  it('programs with the token are never asked', async () => {
    const { forge } = await world();
    expect((await forge.request('PUT', PLACE, VALUES)).status).toBe(200);
  });

  it('a saved key goes to another address only when a person says so', async () => {
    const { forge, page } = await world();
    await forge.request('PUT', '/api/models', { providers: { anthropic: { api_key: 'sk-ant-0123456789abcdef' } } });
    const test = (body: unknown) => forge.request('POST', '/api/models/test', body, page.headers);
    const elsewhere = await test({ provider: 'anthropic', model: 'm', base_url: 'http://127.0.0.1:9/v1' });
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([428, 'confirmation_required']);
    const own = await test({ provider: 'anthropic', model: 'm', base_url: 'http://127.0.0.1:9/v1', api_key: 'x' });
    expect(own.status).toBe(200);
    // No key is saved for this one, so there is nothing to ask about.
    const keyless = await test({ provider: 'openai-compatible', model: 'm', base_url: 'http://127.0.0.1:9/v1' });
    expect(keyless.status).toBe(200);
  });
});
