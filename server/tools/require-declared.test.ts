import { describe, expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';
import { bareNamesOf } from './call-scope.ts';
import { expandTool } from './expand-tool.ts';
import { packageOf, toolOf } from './testing/package.ts';

const SETTINGS = `settings:
  token: { type: string }
  instances: { type: instances, fields: { name: { type: string }, region: { type: string } } }
`;

function expand(rest: string): () => void {
  const pack = packageOf(SETTINGS + rest);
  const entry = { installed: null as never, package: pack, connector: pack.connectors[0]!, tool: toolOf(pack) };
  const scope = { settings: { token: 't', region: 'eu' }, args: {}, saved: new Set<string>() };
  return () => void expandTool(entry, scope, { secrets: 'reveal', bareNames: bareNamesOf(pack), ownPorts: [] });
}

const http = (request: string, more = '') => `${more}tools: { t: { protocol: http, request: ${request} } }`;

describe('W-16 a setting that is not declared', () => {
  it.each([
    ['a query', http(`{ url: 'https://a.test', query: { key: '{settings.tokn}' } }`)],
    ['a header', http(`{ url: 'https://a.test', headers: { X-Key: 'a {settings.tokn}' } }`)],
    ['a body', http(`{ method: POST, url: 'https://a.test', body: { a: [{ b: '{settings.tokn}' }] } }`)],
    ['a key', http(`{ method: POST, url: 'https://a.test', body: { '{settings.tokn}': 1 } }`)],
    ['an auth block', http(`{ url: 'https://a.test' }`, `auth: { type: bearer, token: '{settings.tokn}' }\n`)],
    ['a command', `tools: { t: { protocol: shell, command: [echo, '{settings.tokn}'] } }`],
    ['a script', `host_match: 'https://a.test/*'\ntools: { t: { script: "return '{settings.tokn}'" } }`],
    ['a pattern', `host_match: 'https://a.test/{settings.tokn}/*'\ntools: { t: { script: return 1 } }`],
    [
      'what a watch reports',
      `tools: { t: { protocol: shell, command: [a], async: { poll: t, done_path: x, on_done: { message: '{settings.tokn}' } } } }`,
    ],
  ])('in %s is an error that names the nearest one', (_place, rest) => {
    expect(expand(rest)).toThrow(
      expect.objectContaining({
        code: 'invalid_manifest',
        message: '{settings.tokn} names a setting that the manifest does not declare.',
        hint: 'Did you mean {settings.token}? Correct it in the connector’s manifest.',
      }),
    );
  });

  it('says how to declare it where none is near', () => {
    expect(expand(http(`{ url: 'https://a.test', query: { key: '{settings.organisation}' } }`))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Declare `organisation` under settings') as string }),
    );
  });

  it.each([
    ['declared', http(`{ url: 'https://a.test', query: { key: '{settings.token}' } }`)],
    ['a field of an instance', http(`{ url: 'https://a.test', query: { key: '{settings.region}' } }`)],
    [
      'C-88 an injected field, which is dropped',
      http(`{ method: POST, url: 'https://a.test', body_form: { a: b }, body_form_inject: { k: '{settings.tokn}' } }`),
    ],
    ['JavaScript', `host_match: 'https://a.test/*'\ntools: { t: { script: "return settings.tokn + args.x" } }`],
  ])('%s is none', (_title, rest) => {
    expect(expand(rest)).not.toThrow();
  });

  it('fails a call and a test before anything is sent', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream();
    const request = `{ url: '${url}/items', query: { key: '{settings.tokn}' } }`;
    const yaml = `id: shop\nname: Shop\nversion: 1.0.0\ndescription: A shop.\nauthor: a\nsettings: { token: { type: string } }
test: { request: ${request} }
tools: { list: { description: Lists items., protocol: http, request: ${request} } }\n`;
    const installed = await forge.request('POST', '/api/connectors/install-local', { yaml });
    expect(installed.status, installed.text).toBe(201);
    const called = await forge.request('POST', '/api/tools/shop.list/call', { args: {} });
    expect(called.body).toMatchObject({ ok: false, error: { code: 'invalid_manifest' } });
    expect(called.body.error.hint).toContain('{settings.token}');
    expect((await forge.request('POST', '/api/connectors/shop/test')).body.ok).not.toBe(true);
    expect(seen).toEqual([]);
  });
});
