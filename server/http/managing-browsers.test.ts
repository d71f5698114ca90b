import { describe, expect, it } from 'vitest';
import type { ApiCall } from '../../shared/bridge-api.ts';
import { FakeExtension } from '../bridge/testing/fake-extension.ts';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { manifest, testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';

const call = (given: Partial<ApiCall>): ApiCall => ({
  method: 'GET',
  path: '/api/connectors',
  type: null,
  body: null,
  base64: false,
  stream: false,
  ...given,
});

/** The text behind the last answer. */
const lastBody = (extension: FakeExtension): string => (extension.frames.at(-1) ?? '').split('\n').slice(1).join('\n');

describe('the API over the bridge', () => {
  it('K-54 is closed to a paired browser until a person opens it, and again once they close it', async () => {
    const forge = await testForge();
    const { extension, id } = await pairExtension(forge);
    const refused = { code: 'manage_not_allowed', hint: expect.stringContaining('Settings → Browsers') };
    await expect(extension.request('api.call', call({}))).rejects.toMatchObject(refused);
    const allow = (allowed: boolean) => forge.request('POST', `/api/browsers/${id}/manage`, { allowed });
    expect((await allow(true)).body).toMatchObject({ id, may_manage: true });

    const body = JSON.stringify({ yaml: manifest() });
    const install = { method: 'POST', path: '/api/connectors/install-local', type: 'application/json', body } as const;
    expect(await extension.request('api.call', call(install))).toMatchObject({ status: 201, base64: false });
    expect(await extension.request('api.call', call({}))).toMatchObject({ status: 200 });
    expect(JSON.parse(lastBody(extension))).toMatchObject({ connectors: [{ id: 'demo' }] });
    expect(await extension.request('api.call', call({ path: '/api/connectors/none' }))).toMatchObject({ status: 404 });

    const events = extension.request('api.call', call({ path: '/api/events', stream: true }));
    const ended = expect(events).rejects.toMatchObject(refused);
    const happen = async (): Promise<string> => {
      await forge.request('POST', '/api/chat/sessions', {});
      return extension.frames.join('');
    };
    await expect.poll(happen).toContain('chat.session');
    // Node holds on to the signal of a request that is being answered only as long as somebody else does.
    collectGarbage();
    expect((await allow(false)).body).toMatchObject({ may_manage: false });
    await expect(extension.request('api.call', call({}))).rejects.toMatchObject(refused);
    // What was being listened to ends before the next word.
    const heard = extension.frames.length;
    await happen();
    await ended;
    expect(extension.frames.slice(heard).join('')).not.toContain('api.text');
  });

  it('K-54 never hands out the token, and leads nowhere but to the API', async () => {
    const forge = await testForge();
    const { extension, id } = await pairExtension(forge);
    await forge.request('POST', `/api/browsers/${id}/manage`, { allowed: true });
    for (const path of ['/api/auth/rotate', '/api/../metrics', '/api/..//evil.test/', '/api/%2e%2e/mcp', '/api/auth']) {
      const asked = extension.request('api.call', call({ method: 'POST', path }));
      await expect(asked, path).rejects.toMatchObject({ code: 'not_found' });
    }
    for (const path of ['/metrics', 'http://evil.test/api/', '//evil.test/api/']) {
      await expect(extension.request('api.call', call({ path })), path).rejects.toMatchObject({
        code: 'bridge_protocol',
      });
    }
    expect(extension.frames.join('')).not.toContain(forge.token);
    expect((await forge.request('GET', '/api/connectors')).status).toBe(200);
  });

  it('K-54 a browser that is not paired gets no answer, and one that is paired anew has to be allowed anew', async () => {
    const forge = await testForge();
    const stranger = await FakeExtension.connect(forge.url);
    await stranger.greet();
    await expect(stranger.request('api.call', call({}))).rejects.toMatchObject({ code: 'bridge_protocol' });
    await stranger.cut();

    const { extension, id } = await pairExtension(forge);
    await forge.request('POST', `/api/browsers/${id}/manage`, { allowed: true });
    await forge.request('POST', `/api/browsers/${id}/revoke`);
    await extension.closed;
    const again = await pairExtension(forge, { hello: { browser_id: extension.browserId } });
    await expect(again.extension.request('api.call', call({}))).rejects.toMatchObject({ code: 'manage_not_allowed' });
  });

  it('W-20 every paired browser may ask what its popup shows, and nothing beside it', async () => {
    const forge = await testForge();
    const install = (yaml: string) => forge.request('POST', '/api/connectors/install-local', { yaml });
    const head = (id: string) => `id: ${id}\nname: ${id}\nversion: "1.0.0"\nlogin_redirect: /login\n`;
    const tools = 'tools: { t: { description: d, script: return 1 } }\n';
    const secret = 'settings: { base_url: { type: secret } }\n';
    await install(`${head('wiki')}settings: { base_url: { required: true } }\nhost_match: "{base_url}/*"\n${tools}`);
    await install(`${head('hidden')}${secret}host_match: "{base_url}/*"\n${tools}`);
    await install(
      `${head('rows')}settings: { instances: { type: instances, fields: { name: {}, base_url: {} } } }\nhost_match: "{base_url}/*"\n${tools}`,
    );
    await install(manifest());
    const put = (id: string, values: object) => forge.request('PUT', `/api/connectors/${id}/settings`, { values });
    await put('hidden', { base_url: 'https://secret.test' });
    const rows = ['https://one.test', 'https://two.test:8443'].map((base_url, name) => ({ name: `${name}`, base_url }));
    await put('rows', { instances: rows });
    const { extension } = await pairExtension(forge);
    const ask = async (): Promise<unknown> => {
      expect(await extension.request('api.call', call({ path: '/api/glance' }))).toMatchObject({ status: 200 });
      return JSON.parse(lastBody(extension));
    };
    const sites = (...host_match: string[]) => ({ host_match, state: 'ready' });
    expect(await ask()).toEqual({
      connectors: [expect.objectContaining({ id: 'rows', ...sites('https://one.test/*', 'https://two.test:8443/*') })],
      waiting: 0,
    });
    await put('wiki', { base_url: 'https://wiki.test' });
    expect(await ask()).toMatchObject({
      connectors: [{ id: 'rows' }, { id: 'wiki', ...sites('https://wiki.test/*') }],
    });
    expect(extension.frames.join('')).not.toContain('secret.test');
    for (const given of [
      { method: 'POST' },
      { stream: true },
      { path: '/api/glance?x' },
      { path: '/api/glance/' },
    ] as const)
      await expect(extension.request('api.call', call({ path: '/api/glance', ...given }))).rejects.toMatchObject({
        code: 'manage_not_allowed',
      });
  });

  it('events come as they happen, and bytes come as they are', async () => {
    const forge = await testForge();
    const { extension, id } = await pairExtension(forge);
    await forge.request('POST', `/api/browsers/${id}/manage`, { allowed: true });
    const tool = 'tools: { say: { protocol: shell, description: Says a word., command: [echo, hello] } }';
    const yaml = `id: sayer\nname: Sayer\nversion: "1.0.0"\ndescription: Says a word.\n${tool}\n`;
    await forge.request('POST', '/api/connectors/install-local', { yaml });
    const events = { method: 'POST', path: '/api/tools/sayer.say/call', type: 'application/json', body: '{}' } as const;
    expect(await extension.request('api.call', call({ ...events, stream: true }))).toMatchObject({ status: 200 });
    const texts = extension.frames.filter((frame) => frame.includes('"api.text"')).join('');
    expect(texts).toContain('event: output');
    expect(texts).toContain('event: answer');

    const zip = Buffer.from('not a zip').toString('base64');
    const upload = { method: 'POST', path: '/api/connectors/preview', type: 'application/zip', body: zip } as const;
    expect(await extension.request('api.call', call({ ...upload, base64: true }))).toMatchObject({ status: 400 });
    expect(JSON.parse(lastBody(extension))).toMatchObject({ error: { code: 'invalid_package' } });
  });
});
