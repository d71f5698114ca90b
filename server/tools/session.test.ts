import { describe, expect, it } from 'vitest';
import { wiki, WIKI_MANIFEST, WIKI_PASSWORD, WIKI_USER } from '../auth/testing/wiki.ts';
import { testForge } from '../testing/forge.ts';
import { upstream, type Answer } from '../testing/upstream.ts';
import { callApproved } from './testing/call-approved.ts';

async function forgeWith(yaml: string, values: Record<string, unknown>) {
  const forge = await testForge();
  const installed = await forge.request('POST', '/api/connectors/install-local', { yaml });
  expect(installed.body).toMatchObject({ ok: true });
  const id = String(installed.body.id);
  expect((await forge.request('PUT', `/api/connectors/${id}/settings`, { values })).status).toBe(200);
  return { ...forge, tool: (name: string, args: unknown = {}) => callApproved(forge, `${id}.${name}`, args) };
}

async function wikiForge(more: Record<string, unknown> = {}, yaml = WIKI_MANIFEST) {
  const site = await wiki();
  const forge = await forgeWith(yaml, { base_url: site.url, user: WIKI_USER, password: WIKI_PASSWORD, ...more });
  return { site, forge };
}

describe('a session with MediaWiki', () => {
  it('logs in once, edits with the token of the session and masks all of it', async () => {
    const { site, forge } = await wikiForge();
    const args = { title: 'Sandbox', text: 'a & b = ü' };
    const edited = await forge.tool('edit', args);
    expect(edited.body).toMatchObject({ ok: true, result: { edit: { result: 'Success' } } });
    expect(site.edits).toEqual([{ ...args, user: 'Bot' }]);
    const who = await forge.tool('whoami');
    expect(who.body).toMatchObject({ ok: true, result: { query: { userinfo: { name: 'Bot' } } } });
    expect(site.logins()).toBe(1);
    const [session] = [...site.sessions].filter(([, { user }]) => user === 'Bot');
    const [cookie, { csrfToken }] = session!;
    const log = await forge.request('GET', `/api/calls/${String(edited.body.call_id)}`);
    for (const text of [edited.text, who.text, log.text, forge.logLines.join('\n')]) {
      expect(text).not.toContain(cookie);
      expect(text).not.toContain(csrfToken.slice(0, 40));
      expect(text).not.toContain(WIKI_PASSWORD);
    }
    expect(who.text).toContain('wiki_session=[secret]');
  });

  it('makes one login for any number of callers at once', async () => {
    const { site, forge } = await wikiForge();
    const all = await Promise.all(Array.from({ length: 20 }, () => forge.tool('whoami')));
    expect(all.every(({ body }) => body.ok === true)).toBe(true);
    expect(site.logins()).toBe(1);
  });

  it('logs in again once when the session is gone, and repeats what was refused', async () => {
    const { site, forge } = await wikiForge();
    await forge.tool('whoami');
    site.sessions.clear();
    expect((await forge.tool('whoami')).body).toMatchObject({ result: { query: { userinfo: { name: 'Bot' } } } });
    expect(site.logins()).toBe(2);
    site.sessions.clear();
    const edited = await forge.tool('edit', { title: 'T', text: 'x' });
    expect(edited.body).toMatchObject({ ok: true, result: { edit: { result: 'Success' } } });
    expect(site.edits).toEqual([{ title: 'T', text: 'x', user: 'Bot' }]);
    expect(site.logins()).toBe(3);
  });

  it('says that a login failed, although the wiki answers 200', async () => {
    const { site, forge } = await wikiForge({ password: 'wrong-password-11' });
    const { body, text } = await forge.tool('whoami');
    expect(body).toMatchObject({ ok: false, error: { code: 'login_failed' } });
    expect(body.error.message).toContain('its answer does not say Success at "login.result"');
    expect(text).not.toContain('wrong-password-11');
    // Failures are not kept.
    await forge.tool('whoami');
    expect(site.logins()).toBe(2);
  });

  it('reads without a login until somebody has saved one', async () => {
    const { site, forge } = await wikiForge({ user: null, password: null });
    expect((await forge.tool('whoami')).body).toMatchObject({ result: { error: { code: 'assertuserfailed' } } });
    expect(site.logins()).toBe(0);
  });

  it('shows the login in a dry run, and sends nothing', async () => {
    const { site, forge } = await wikiForge();
    const args = { title: 'T', text: 'x' };
    const dry = await forge.request('POST', '/api/tools/wiki.edit/call', { args, dry_run: true });
    expect(site.seen).toEqual([]);
    expect(dry.text).toContain('lgpassword=[secret]&lgtoken=[secret]');
    expect(dry.text).toContain('token=[secret]');
    expect(dry.text).toContain('"cookie":"[secret]"');
    expect(dry.text).not.toContain(WIKI_PASSWORD);
  });

  it('is a step of its own in the connector’s test', async () => {
    const { forge } = await wikiForge();
    const tested = await forge.request('POST', '/api/connectors/wiki/test');
    expect(tested.body).toMatchObject({ ok: true, message: 'Logged in as Bot.' });
    expect(tested.body.steps.map(({ name }: { name: string }) => name)).toContain('auth');
  });

  it('lists the host of the login and the way of the password before it is installed', async () => {
    const { forge } = await wikiForge();
    const { text } = await forge.request('GET', '/api/connectors/wiki');
    expect(text).toContain('(login)');
    expect(text).toContain('(cookies)');
  });
});

/** A form login as many frameworks have it: a page with a hidden field, a redirect, a cookie, a token in another cookie. */
const formSite = (state: { session: string; writes: number; logins: number }): Answer => {
  const page = (text: string, status = 200, headers: Record<string, string | string[]> = {}) => ({
    text,
    status,
    headers,
  });
  const reply = (seen: Parameters<Answer>[0]) => {
    const isIn = (seen.headers.cookie ?? '').includes(`sid=${state.session}`);
    switch (seen.line) {
      case 'GET /login':
        return page('<input name="form_key" value="form-key-1">', 200, { 'Set-Cookie': 'pre=1; Path=/login' });
      case 'POST /login': {
        const isRight = seen.body === 'form_key=form-key-1&pass=hunter-secret-22' && seen.headers.cookie === 'pre=1';
        if (!isRight) return page('', 302, { Location: '/login?error=1' });
        state.logins += 1;
        const cookies = [`sid=${state.session}; Path=/; HttpOnly`, `xsrf=xsrf-Token-${state.session}; Path=/`];
        return page('', 302, { Location: '/home', 'Set-Cookie': cookies });
      }
      case 'GET /data':
        return isIn ? page('{"data":1}') : page('', 302, { Location: '/login' });
      case 'POST /data':
        state.writes += 1;
        return isIn && seen.headers['x-xsrf'] === `xsrf-Token-${state.session}`
          ? page('{"written":1}')
          : page('', 302, { Location: '/login' });
      case 'DELETE /data':
        return isIn ? page('{"deleted":1}') : page('no', 401);
      default:
        return page('', 404);
    }
  };
  return (seen, response) => {
    const { text, status, headers } = reply(seen);
    response.writeHead(status, { 'Content-Type': text.startsWith('{') ? 'application/json' : 'text/html', ...headers });
    response.end(text);
  };
};

const FORM_MANIFEST = `id: shop
name: Shop
version: "1.0.0"
description: A shop with a form to log in.
settings: { base_url: { type: string }, pass: { type: secret } }
auth:
  type: session
  login:
    - request: { url: '{base_url}/login' }
      capture: { key: { regex: 'name="form_key" value="([^"]+)"' } }
    - request: { method: POST, url: '{base_url}/login', body_form: { form_key: '{captured.key}', pass: '{settings.pass}' } }
      capture: { landed: { header: location, regex: '^(/home)$' }, xsrf: { cookie: xsrf } }
  csrf: { from: xsrf, header: X-XSRF }
  expired_match: { redirect: /login }
tools:
  read: { protocol: http, description: Reads., request: { url: '{base_url}/data' } }
  write: { protocol: http, description: Writes., request: { method: POST, url: '{base_url}/data', body: { a: 1 } } }
  remove: { protocol: http, description: Removes., request: { method: DELETE, url: '{base_url}/data' } }
`;

describe('a session behind a form', () => {
  const start = async (pass = 'hunter-secret-22') => {
    const state = { session: 'first1', writes: 0, logins: 0 };
    const { url } = await upstream(formSite(state));
    return { state, forge: await forgeWith(FORM_MANIFEST, { base_url: url, pass }) };
  };

  it('captures from a page, a header and a cookie', async () => {
    const { state, forge } = await start();
    expect((await forge.tool('write')).body).toMatchObject({ ok: true, result: { written: 1 } });
    expect((await forge.tool('read')).body).toMatchObject({ ok: true, result: { data: 1 } });
    expect(state.logins).toBe(1);
  });

  it('takes a redirect back to the form for a failure', async () => {
    const { forge } = await start('wrong-secret-22');
    const { body } = await forge.tool('read');
    expect(body.error).toMatchObject({ code: 'login_failed' });
    expect(body.error.message).toContain('nothing to capture as "landed"');
  });

  it('repeats a read that was sent to the login page, and no write', async () => {
    const { state, forge } = await start();
    await forge.tool('read');
    state.session = 'second2';
    expect((await forge.tool('read')).body).toMatchObject({ ok: true, result: { data: 1 } });
    expect(state.logins).toBe(2);
    state.session = 'third3';
    const { body } = await forge.tool('write');
    expect(body.error).toMatchObject({ code: 'login_failed' });
    expect(body.error.message).toContain('was not sent again');
    expect(state.writes).toBe(1);
    expect((await forge.tool('write')).body).toMatchObject({ ok: true });
    expect(state).toMatchObject({ writes: 2, logins: 3 });
  });

  it('repeats a change that was refused with 401', async () => {
    const { state, forge } = await start();
    await forge.tool('read');
    state.session = 'second2';
    expect((await forge.tool('remove')).body).toMatchObject({ ok: true, result: { deleted: 1 } });
    expect(state.logins).toBe(2);
  });
});

/** A service whose cookie and token are too short to be recognised as secrets. */
const SHORT = (csrf: string): string => `id: short
name: Short
version: "1.0.0"
settings: { base_url: { required: true }, other: { required: true }, pass: { type: secret } }
auth:
  type: session
  login: [{ request: { method: POST, url: '{base_url}/login', body: { p: '{settings.pass}' } }, capture: { t: { path: t } } }]
  csrf: { from: t, ${csrf} }
tools:
  write: { protocol: http, description: Writes., request: { method: POST, url: '{base_url}/write', query: { q: 'a?b&c' }, capture_response_headers: [Set-Cookie] } }
  elsewhere: { protocol: http, description: Writes elsewhere., request: { method: POST, url: '{other}/write' } }
`;

describe('S4 a short token of a session', () => {
  const start = async (csrf: string) => {
    const site = await upstream((seen, response) => {
      const headers = { 'Content-Type': 'application/json', 'Set-Cookie': 'sid=cookie-7' };
      response.writeHead(seen.url.startsWith('/write') ? 500 : 200, headers);
      response.end(seen.url === '/login' ? '{"t":"blue-7"}' : '{}');
    });
    const other = await upstream();
    const values = { base_url: site.url, other: `http://localhost:${other.port}`, pass: 'hunter-secret-22' };
    return { site, other, forge: await forgeWith(SHORT(csrf), values) };
  };

  it('is masked where Forge has put it: in the address, also of an error', async () => {
    const { site, forge } = await start('query: token');
    const { body } = await forge.tool('write');
    expect(site.seen.at(-1)?.url).toBe('/write?q=a%3Fb%26c&token=blue-7');
    expect(body.error.message).toContain('/write?q=a%3Fb%26c&token=[secret]');
    const log = await forge.request('GET', `/api/calls/${String(body.call_id)}`);
    expect(log.body.message).not.toContain('blue-7');
    expect(JSON.stringify(log.body.trace.request)).not.toContain('blue-7');
  });

  it('is masked in a Set-Cookie header that a manifest asks for', async () => {
    const { forge } = await start('header: X-Csrf');
    const plain = SHORT('header: X-Csrf').replace("/write', query", "/ok', query");
    await forge.request('POST', '/api/connectors/install-local', { yaml: plain });
    const { body } = await forge.tool('write');
    expect(body.response.headers).toEqual({ 'set-cookie': '[secret]' });
  });

  it.each(['header: X-Csrf', 'query: token', 'form: token'])('goes to no other host (%s)', async (csrf) => {
    const { site, other, forge } = await start(csrf);
    expect((await forge.tool('elsewhere')).body).toMatchObject({ ok: true });
    expect(site.seen.map(({ line }) => line)).toEqual(['POST /login']);
    const [{ url, headers, body }] = other.seen as [(typeof other.seen)[0]];
    expect(JSON.stringify([url, headers, body])).not.toMatch(/blue-7|cookie-7/);
  });
});
