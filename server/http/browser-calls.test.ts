import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';

const MANIFEST = `id: web
name: Web
version: "1.0.0"
settings: { base_url: { required: true }, token: { type: secret } }
host_match: '{base_url}/*'
login_redirect: /login
tools:
  list:
    description: Lists.
    parameters: { limit: { type: number, default: 5 }, note: {} }
    page: { url: '{base_url}/list', on_target: /list }
    script: return [args.limit, '{base_url}']
  picked: { description: Picks., items_path: rows, response_fields: [id], script: return 1 }
  wipe: { description: Deletes a row., destructive: true, parameters: { id: { required: true } }, script: return 1 }
  elsewhere: { description: Opens., parameters: { host: { required: true } }, page: { url: 'https://{args.host}/' }, script: return 1 }
`;

async function world() {
  const forge = await testForge();
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.request('PUT', '/api/connectors/web/settings', {
    values: { base_url: 'https://web.test/', token: 'canary-token-9' },
  });
  const { extension, id } = await pairExtension(forge);
  return { forge, extension, browserId: id };
}

describe('a browser tool', () => {
  it('C-02 C-33 C-34 C-36 C-41 C-43 runs in the paired browser, with everything filled in', async () => {
    const { forge, extension } = await world();
    const answer = call(forge, 'web.list', { note: 'a"b' });
    const asked = await extension.nextAsked();
    expect(asked.params).toMatchObject({
      connector: 'web',
      tool: 'list',
      title: 'Lists on web.test',
      acquire: {
        host_match: 'https://web.test/*',
        login_redirect: '/login',
        url: 'https://web.test/list',
        on_target: '/list',
      },
      script: "return [args.limit, 'https://web.test/']",
      args: '{"note":"a\\"b","limit":5}',
      settings: '{"base_url":"https://web.test/"}',
      timeout_ms: 60_000,
      approval: null,
    });
    asked.returns([{ id: 1 }], 'https://web.test/list?page=1');
    const { body } = await answer;
    expect(body).toMatchObject({ ok: true, result: [{ id: 1 }], call_id: asked.params.call_id });
    const logged = (await forge.request('GET', `/api/calls/${body.call_id}`)).body;
    expect(logged.trace).toMatchObject({
      request: { tab: { host_match: 'https://web.test/*', url: 'https://web.test/list' }, runner: 'main' },
      response: { url: 'https://web.test/list?page=1', timings: { acquire: 1, run: 2 }, head: '[{"id":1}]' },
    });
  });

  it('S2 C-120 K-05 a script that was edited on disk is asked about once and runs from then on', async () => {
    const { forge, extension } = await world();
    extension.onRequest = (asked) => asked.returns(null);
    await call(forge, 'web.list');
    const file = path.join(forge.dataDir.connectors, 'web', 'manifest.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('1.0.0', '1.0.1').replace('args.limit,', 'args.limit + 1,'));
    extension.onRequest = null;
    const { status, body } = await call(forge, 'web.list');
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('Script')]);
    await forge.request('POST', `/api/approvals/${body.approval_id}`, { decision: 'approve' });
    const answer = call(forge, 'web.list');
    const asked = await extension.nextAsked();
    expect(asked.params.script).toBe("return [args.limit + 1, 'https://web.test/']");
    asked.returns(null);
    await answer;
  });

  it('settings saved between two calls count for the second', async () => {
    const { forge, extension } = await world();
    extension.onRequest = (asked) => asked.returns(null);
    await call(forge, 'web.list');
    await forge.request('PUT', '/api/connectors/web/settings', { values: { base_url: 'http://other.test:81' } });
    extension.onRequest = null;
    const answer = call(forge, 'web.list');
    const asked = await extension.nextAsked();
    expect(asked.params.acquire.host_match).toBe('http://other.test:81/*');
    asked.returns(null);
    await answer;
  });

  it('K-55 the caller may name the browser', async () => {
    const { forge, extension, browserId } = await world();
    const second = await pairExtension(forge, { hello: { browser_id: 'b'.repeat(16), profile: 'Work' } });
    extension.onRequest = (asked) => asked.returns('first');
    second.extension.onRequest = (asked) => asked.returns('second');
    expect((await call(forge, 'web.list', {}, { browser: browserId })).body.result).toBe('first');
    expect((await call(forge, 'web.list', {}, { browser: 'chromium on linux (work)' })).body.result).toBe('second');
    expect((await call(forge, 'web.list', {}, { browser: 'Nobody' })).body).toMatchObject({
      ok: false,
      error: { code: 'browser_not_found' },
    });
  });

  it('a dry run shows the job and sends nothing', async () => {
    const { forge, extension } = await world();
    const { body, text } = await call(forge, 'web.list', {}, { dry_run: true });
    expect(body.dry_run).toMatchObject({
      protocol: 'browser',
      acquire: { url: 'https://web.test/list' },
      args: '{"limit":5}',
    });
    expect(text).not.toContain('canary');
    await extension.settled();
    expect(extension.asked).toEqual([]);
  });

  it('a client that goes away stops the call in the browser', async () => {
    const { forge, extension } = await world();
    const sent = httpRequest(`${forge.url}/api/tools/web.list/call`, {
      method: 'POST',
      agent: false,
      headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.end('{"args":{}}');
    const asked = await extension.nextAsked();
    sent.destroy();
    expect(await extension.nextCancelled()).toBe(asked.params.call_id);
  });

  it('a host that an argument names is put to a person first', async () => {
    const { forge, extension } = await world();
    const { status, body } = await call(forge, 'web.elsewhere', { host: 'other.test' });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('would open other.test')]);
    await forge.request('POST', `/api/approvals/${body.approval_id}`, { decision: 'approve' });
    const answer = call(forge, 'web.elsewhere', { host: 'other.test' }, { approval_id: body.approval_id });
    const asked = await extension.nextAsked();
    expect(asked.params.acquire.url).toBe('https://other.test/');
    asked.returns(null);
    await answer;
  });
});

describe('what comes back', () => {
  async function returned(tool: string, text: string) {
    const { forge, extension } = await world();
    extension.onRequest = (asked) => asked.reply({ url: 'https://web.test/', timings: {} }, text);
    return { ...(await call(forge, tool)), forge };
  }

  it.each([
    ['C-49', '{"_error":"HTTP 403: no"}', 'tool_error', 'HTTP 403: no'],
    ['C-44', '{"half":', 'result_not_json', 'not JSON'],
    ['C-44', '', 'result_not_json', 'not JSON'],
    ['C-44', `${'['.repeat(2000)}${']'.repeat(2000)}`, 'result_not_json', 'nested too deep'],
  ])('%s %s is %s', async (_id, text, code, message) => {
    const { status, body } = await returned('web.list', text);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(message) } });
  });

  it('W-15 files are saved', async () => {
    const content_base64 = Buffer.from('hello').toString('base64');
    const { body, forge } = await returned(
      'web.list',
      JSON.stringify({ _files: [{ filename: 'a.txt', content_base64 }] }),
    );
    const [file] = body.result._files;
    expect(file).toMatchObject({ filename: 'a.txt', size_bytes: 5 });
    expect((await forge.request('GET', file.file_url)).text).toBe('hello');
  });

  it('W-07 is projected', async () => {
    const { body } = await returned('web.picked', '{"rows":[{"id":1,"x":2},{"id":2}]}');
    expect(body.result).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('is answered as it came where nothing has to change', async () => {
    const { forge, extension } = await world();
    extension.onRequest = (asked) => asked.reply({ url: 'https://web.test/', timings: {} }, '{ "b":1.50,  "a":[ ] }');
    expect((await call(forge, 'web.list')).text).toContain('"result":{ "b":1.50,  "a":[ ] },');
  });

  it('a large one is cut and kept', async () => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id}` }));
    const { body, forge } = await returned('web.list', JSON.stringify(rows));
    expect(body.result).toMatchObject({ truncated: true, handle: body.handle });
    const { body: window } = await forge.request('GET', `/api/results/${body.handle}?path=[2999]`);
    expect(JSON.stringify(window)).toContain('row 2999');
  });

  it('line breaks between its parts do not end an event early', async () => {
    const { forge, extension } = await world();
    extension.onRequest = (asked) => asked.reply({ url: 'https://web.test/', timings: {} }, '{\n\n"a":\r\n1}');
    const answer = await forge.request(
      'POST',
      '/api/tools/web.list/call',
      { args: {} },
      { Accept: 'text/event-stream' },
    );
    const data = /^event: answer\ndata: (.*)$/m.exec(answer.text)?.[1] ?? '';
    expect(JSON.parse(data)).toMatchObject({ ok: true, result: { a: 1 } });
  });

  it('K-08 a secret that the page shows is masked, however it is written', async () => {
    const { body } = await returned('web.list', '{"plain":"canary-token-9","escaped":"\\u0063anary-token-9"}');
    expect(body.result).toEqual({ plain: '[secret]', escaped: '[secret]' });
  });
});

it('C-24 a login that is missing says in which tab of which browser, so that a page can lead there', async () => {
  const { forge, extension, browserId } = await world();
  const details = { url: 'https://web.test/login', tab_id: 7, browser_id: 'brw_of_somebody_else' };
  extension.onRequest = (asked) => asked.fails({ code: 'login_required', message: 'not logged in', details });
  const { body } = await call(forge, 'web.list', { note: 'x' });
  expect(body.error).toMatchObject({
    code: 'login_required',
    details: { url: 'https://web.test/login', tab_id: 7, browser_id: browserId },
  });
});
