import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CHROME_ORIGIN, FakeExtension } from '../bridge/testing/fake-extension.ts';
import { testForge, type TestForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';

const PROBED = `id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: '{base_url}/*'
`;

/** A request with exactly this Origin: fetch would not let a test set it. */
function statusFrom(forge: TestForge, origin: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { Origin: origin, 'X-Forge-Token': token };
    const sent = httpRequest(`${forge.url}/api/browsers`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('browsers over the API', () => {
  it('D-09 K-55 lists those that ask with their code, and those that are paired with their state', async () => {
    const forge = await testForge();
    expect((await forge.request('GET', '/api/browsers')).body).toEqual({ browsers: [], pending: [] });
    const asking = await FakeExtension.connect(forge.url, { hello: { profile: 'Work' } });
    const answer = await asking.greet();
    const { pending } = (await forge.request('GET', '/api/browsers')).body;
    expect(pending).toEqual([
      {
        id: expect.stringMatching(/^brw_/),
        code: answer.state === 'pairing' ? answer.code : '',
        origin: CHROME_ORIGIN,
        browser: 'Chromium',
        profile: 'Work',
        platform: 'Linux',
        extension_version: '1.0.0',
        expires_at: expect.any(String),
      },
    ]);
    const accepted = await forge.request('POST', `/api/browsers/${pending[0].id}/accept`);
    expect([accepted.status, accepted.body]).toEqual([200, expect.objectContaining({ connected: true })]);
    await asking.paired();
    const ownKey = readFileSync(forge.dataDir.bridgeKey, 'utf8').split('\n')[1]!;
    const { text, body } = await forge.request('GET', '/api/browsers');
    expect(body).toMatchObject({
      browsers: [{ id: pending[0].id, name: 'Chromium on Linux (Work)', connected: true, paused: false }],
      pending: [],
    });
    expect(text + accepted.text + forge.logLines.join('')).not.toContain(ownKey);
    expect((await forge.request('GET', '/api/health')).body.bridge).toEqual({ connected: 1 });
    await asking.close();
    await expect.poll(async () => (await forge.request('GET', '/api/health')).body.bridge.connected).toBe(0);
  });

  it('C-142 a request is listed while its browser is there, under the same code when it comes back, and each change is told', async () => {
    const forge = await testForge();
    const told: string[] = [];
    onTestFinished(forge.services.events.listen(({ event }) => told.push(event.type)));
    const pending = async () => (await forge.request('GET', '/api/browsers')).body.pending;
    const first = await FakeExtension.connect(forge.url);
    await first.greet();
    const [{ id, code }] = await pending();
    expect(told.splice(0)).toEqual(['browser.asking']);
    await first.cut();
    await expect.poll(pending).toEqual([]);
    expect(told.splice(0)).toEqual(['browser.asking']);
    expect((await forge.request('POST', `/api/browsers/${id}/accept`)).body.error.code).toBe('conflict');
    const again = await FakeExtension.connect(forge.url, { keys: first.keys });
    onTestFinished(() => void again.cut());
    await again.greet();
    expect(await pending()).toMatchObject([{ id, code }]);
    await forge.request('POST', `/api/browsers/${id}/accept`);
    await again.paired();
    expect(told).toEqual(['browser.asking', 'browser.asking']);
  });

  it('K-54 a browser may be let manage Forge in the same step as it is accepted, and is not otherwise', async () => {
    const forge = await testForge();
    const ask = async (browser_id: string) => {
      const extension = await FakeExtension.connect(forge.url, { hello: { browser_id: browser_id.repeat(32) } });
      onTestFinished(() => void extension.cut());
      await extension.greet();
      return (await forge.request('GET', '/api/browsers')).body.pending[0].id as string;
    };
    const accept = async (query: string) =>
      (await forge.request('POST', `/api/browsers/${await ask(query === '' ? 'a' : 'b')}/accept${query}`)).body;
    expect(await accept('')).toMatchObject({ connected: true, may_manage: false });
    expect(await accept('?may_manage=true')).toMatchObject({ connected: true, may_manage: true });
    expect((await forge.request('POST', '/api/browsers/brw_0/accept?may_manage=yes')).status).toBe(400);
  });

  it('renames and revokes', async () => {
    const forge = await testForge();
    const { extension, id } = await pairExtension(forge);
    expect((await forge.request('PATCH', `/api/browsers/${id}`, { name: 'Laptop' })).body).toMatchObject({
      id,
      name: 'Laptop',
    });
    expect((await forge.request('POST', `/api/browsers/${id}/revoke`)).status).toBe(204);
    expect((await extension.closed).code).toBe(4401);
    expect((await forge.request('GET', '/api/browsers')).body.browsers).toEqual([]);
  });

  it('C-24 a person is shown a tab that a tool has used, in the browser it is in', async () => {
    const forge = await testForge();
    const { extension, id } = await pairExtension(forge);
    const shown: unknown[] = [];
    extension.onRequest = (asked) => {
      shown.push([asked.method, asked.params]);
      if (shown.length === 1) asked.reply({});
      else asked.fails({ code: 'tab_closed', message: 'gone' });
    };
    const focus = (body: unknown) => forge.request('POST', `/api/browsers/${id}/focus-tab`, body);
    expect((await focus({ tab_id: 7 })).status).toBe(204);
    expect(shown).toEqual([['tab.focus', { tab_id: 7, timeout_ms: 5000 }]]);
    expect((await focus({ tab_id: 8 })).body.error.code).toBe('tab_closed');
    expect((await focus({ tab_id: 'x' })).status).toBe(400);
    expect(shown).toHaveLength(2);
  });

  it.each([
    ['POST', '/api/browsers/brw_0/accept', undefined, 404, 'browser_not_found'],
    ['POST', '/api/browsers/brw_0/revoke', undefined, 404, 'browser_not_found'],
    ['PATCH', '/api/browsers/brw_0', { name: 'x' }, 404, 'browser_not_found'],
    ['POST', '/api/browsers/brw_0/focus-tab', { tab_id: 1 }, 404, 'browser_not_found'],
    ['PATCH', '/api/browsers/brw_0', { name: '' }, 400, 'invalid_request'],
    ['POST', '/api/browsers/inspect', { host_match: 'https://h.test/*' }, 400, 'invalid_request'],
  ])('%s %s with %j: %i %s', async (method, path, sent, status, code) => {
    const forge = await testForge();
    const answer = await forge.request(method, path, sent);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  it('K-54 a paired extension’s origin may call, with the token; another’s may not', async () => {
    const forge = await testForge();
    expect(await statusFrom(forge, CHROME_ORIGIN, forge.token)).toBe(403);
    const { id, keys } = await pairExtension(forge);
    expect(await statusFrom(forge, CHROME_ORIGIN, forge.token)).toBe(200);
    expect(await statusFrom(forge, CHROME_ORIGIN, '')).toBe(401);
    // The key opens the bridge and nothing else.
    expect(await statusFrom(forge, CHROME_ORIGIN, keys.publicKey)).toBe(401);
    expect(await statusFrom(forge, `chrome-extension://${'p'.repeat(32)}`, forge.token)).toBe(403);
    await forge.request('POST', `/api/browsers/${id}/revoke`);
    expect(await statusFrom(forge, CHROME_ORIGIN, forge.token)).toBe(403);
  });

  it('K-54 nothing at /bridge answers without a socket', async () => {
    const forge = await testForge();
    expect((await forge.request('GET', '/bridge', undefined, { 'X-Forge-Token': '' })).status).toBe(401);
    expect((await forge.request('GET', '/bridge')).status).toBe(404);
  });
});

describe('the test block of a browser connector', () => {
  const tools = 'tools: { t: { description: Reads., script: return 1 } }\n';

  async function probed(rest: string, base_url = 'https://demo.test:8443/') {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: PROBED + rest + tools });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url } });
    const { extension } = await pairExtension(forge);
    const outcome = forge.request('POST', '/api/connectors/demo/test').then(({ body }) => body);
    return { outcome, asked: await extension.nextAsked<'connector.probe'>() };
  }

  it('C-107 C-108 C-109 C-111 D-10 W-18 asks the extension for exactly what the contract names', async () => {
    const { outcome, asked } = await probed('login_redirect: /login\nrunner: isolated\ntest: { probe: browser }\n');
    expect(asked.method).toBe('connector.probe');
    expect(asked.params).toEqual({
      pluginId: 'demo',
      host_match: 'https://demo.test:8443/*',
      login_redirect: '/login',
      runner: 'isolated',
      timeout_ms: 30_000,
    });
    asked.reply({ ok: true, url: 'https://demo.test:8443/home' });
    expect(await outcome).toMatchObject({
      ok: true,
      message: 'logged in at https://demo.test:8443/home',
      url: 'https://demo.test:8443/home',
      steps: [{ name: 'settings' }, { name: 'request' }, { name: 'answer' }, { name: 'result' }].map((step) => ({
        ...step,
        ok: true,
      })),
    });
  });

  it('C-107 C-109 W-14 leaves out what the manifest does not say, and honours what it does', async () => {
    const { outcome, asked } = await probed(
      "test: { probe: browser, timeout_ms: 4000, auth_required_selector: 'form#login', ok_template: 'Hello at {{url}}' }\n",
    );
    expect(asked.params).toEqual({
      pluginId: 'demo',
      host_match: 'https://demo.test:8443/*',
      runner: 'main',
      timeout_ms: 4000,
      auth_required_selector: 'form#login',
    });
    asked.reply({ ok: true, url: 'https://demo.test:8443/' });
    expect(await outcome).toMatchObject({ ok: true, message: 'Hello at https://demo.test:8443/' });
  });

  it('C-110 login required is told as that, with where to log in', async () => {
    const { outcome, asked } = await probed('login_redirect: /login\ntest: { probe: browser }\n');
    asked.reply({ ok: false, error: 'login required', url: 'https://demo.test:8443/login?next=/' });
    expect(await outcome).toMatchObject({
      ok: false,
      message: 'login required',
      url: 'https://demo.test:8443/login?next=/',
      hint: 'Log in at https://demo.test:8443/login?next=/ in your browser, then test again.',
    });
  });

  it.each([
    [{ ok: false, error: 'net::ERR_NAME_NOT_RESOLVED' }, 'net::ERR_NAME_NOT_RESOLVED'],
    [{ ok: false, error: '\u0000\u001b[2J' }, '[2J'],
    [{ ok: false, error: '' }, 'the browser does not say why it failed'],
    [{ ok: 'maybe' }, 'the browser’s answer cannot be read'],
  ])('C-110 %j', async (answer, message) => {
    const { outcome, asked } = await probed('test: { probe: browser }\n');
    asked.reply(answer);
    expect(await outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });

  it('C-110 a failure of the extension itself keeps its hint', async () => {
    const { outcome, asked } = await probed('test: { probe: browser }\n');
    asked.fails({ code: 'permission_missing', message: 'Forge may not use https://demo.test:8443' });
    expect(await outcome).toMatchObject({
      ok: false,
      message: 'Forge may not use https://demo.test:8443',
      hint: expect.stringContaining('popup'),
    });
  });

  it('C-112 says what to install when no extension is connected', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', {
      yaml: `${PROBED}test: { probe: browser }\n${tools}`,
    });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: 'https://demo.test' } });
    expect((await forge.request('POST', '/api/connectors/demo/test')).body).toMatchObject({
      ok: false,
      message: 'no browser is connected: install + sign in to the Forge extension',
    });
  });
});

describe('looking at a page', () => {
  it('K-13 hands over what the browser sees', async () => {
    const forge = await testForge();
    const { extension } = await pairExtension(forge);
    const action = { kind: 'selector', selector: '.row' };
    const answer = forge.request('POST', '/api/browsers/inspect', { host_match: 'https://Demo.test', action });
    const asked = await extension.nextAsked<'dom.inspect'>();
    expect(asked.params).toEqual({ host_match: 'https://demo.test/*', action, timeout_ms: 15_000 });
    asked.reply({ url: 'https://demo.test/list' }, '{"count":2}');
    expect((await answer).body).toEqual({ url: 'https://demo.test/list', value: { count: 2 } });
  });

  it.each(['*://*/*', '<all_urls>', 'file:///*', 'https://*/*'])('K-13 refuses %s', async (host_match) => {
    const forge = await testForge();
    const { extension } = await pairExtension(forge);
    const sent = { host_match, action: { kind: 'outline', max_nodes: 10 } };
    expect((await forge.request('POST', '/api/browsers/inspect', sent)).body.error.code).toBe('invalid_manifest');
    await extension.settled();
    expect(extension.asked).toEqual([]);
  });
});

describe('stopping', () => {
  it('closes the sockets of browsers at once when nothing is under way', async () => {
    const forge = await testForge();
    const { extension } = await pairExtension(forge);
    // Time stands still: a stop that waited for any of it would never end.
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await forge.close();
    expect((await extension.closed).code).toBe(1001);
  });

  it('a call under way is answered first', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', {
      yaml: `${PROBED.replace("'{base_url}/*'", 'https://demo.test/*')}tools: { t: { description: Reads., script: return 1 } }\n`,
    });
    const { extension } = await pairExtension(forge);
    const answer = forge.request('POST', '/api/tools/demo.t/call', { args: {} });
    const asked = await extension.nextAsked();
    const closed = forge.close();
    asked.returns('last words');
    expect((await answer).body).toMatchObject({ ok: true, result: 'last words' });
    await closed;
    expect((await extension.closed).code).toBe(1001);
  });
});
