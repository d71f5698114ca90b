import { expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { upstream, type Seen } from '../testing/upstream.ts';

const SECRET = 'p w/ö+1&x';
const BEARER = 'bearer-of-the-exchange';

const EXCHANGE = `type: bearer-token-exchange, exchange_url: '{base_url}/login?k={settings.s}'`;
const FORM_TYPE = `exchange_headers: { Content-Type: application/x-www-form-urlencoded }`;

/** What a tool adds to a plain request: its auth, and the rest of it. */
const TOOLS: Record<string, [auth: string, request?: string]> = {
  basic: [`{ type: basic, username: ana, password: '{settings.ascii}' }`],
  bearer: [`{ type: bearer, token: '{settings.ascii}' }`],
  header: [`{ type: header, name: X-Key, value: 'key {settings.ascii}' }`],
  query: [`{ type: query, name: access_token, value: '{settings.s}' }`],
  none: ['{ type: none }', `query: { a: '{settings.s}', b: 'x {settings.s} y', c: [1, '{settings.s}'] }`],
  path: ['{ type: none }', `headers: { X-Key: '{settings.ascii}' }`],
  json: ['{ type: none }', `method: POST, body: { a: '{settings.s}', b: ['x {settings.s}'] }`],
  text: ['{ type: none }', `method: POST, body: 'a={settings.s}'`],
  form: ['{ type: none }', `method: POST, body_form: { a: '{settings.s}', 'b[]': 'x {settings.s}' }, body_form_inject: { c: '{settings.s}' }`],
  token: [`{ ${EXCHANGE}, api_token: '{settings.ascii}' }`],
  login: [`{ ${EXCHANGE}, exchange_body: { user: ana, password: '{settings.s}' }, bearer_format: bare }`],
  form_login: [`{ ${EXCHANGE}, exchange_body: { password: '{settings.s}' }, ${FORM_TYPE} }`, `headers: { Authorization: mine }`],
}; // prettier-ignore

const MANIFEST = `id: dry
name: Dry
version: "1.0.0"
settings: { base_url: {}, s: { type: secret }, ascii: { type: secret } }
tools:
${Object.entries(TOOLS)
  .map(([name, [auth, request]]) => {
    const path = name === 'path' ? '/x/{settings.s}/y' : '/x';
    return `  ${name}: { protocol: http, description: Gets., auth: ${auth}, request: { url: '{base_url}${path}'${request === undefined ? '' : `, ${request}`} } }`;
  })
  .join('\n')}
`;

/** What a service saw, as a dry run would have shown it. */
function masked(origin: string, { method, url, headers, body }: Seen) {
  const hide = (text: string) =>
    [SECRET, encodeURIComponent(SECRET), encodeURI(SECRET), new URLSearchParams([['', SECRET]]).toString().slice(1), 'ascii-secret', BEARER]
      .reduce((shown, spelled) => shown.replaceAll(spelled, '[secret]'), text)
      .replace(Buffer.from('ana:ascii-secret').toString('base64'), '[secret]'); // prettier-ignore
  const ours = Object.entries(headers).filter(([name]) => !/^(?:host|connection|content-length|accept-encoding)$/.test(name)); // prettier-ignore
  return {
    method,
    url: hide(`${origin}${url}`),
    headers: Object.fromEntries(ours.map(([name, value]) => [name, hide(String(value))])),
    body: body === '' ? null : hide(body),
  };
}

it('a dry run is the exact request, with the exchange it needs, for every scheme and position', async () => {
  const forge = await testForge();
  const { url, seen } = await upstream((request, response) =>
    response.end(request.url.startsWith('/login') ? JSON.stringify({ bearerToken: BEARER }) : '{}'),
  );
  expect((await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST })).status).toBe(201);
  const values = { base_url: url, s: SECRET, ascii: 'ascii-secret' };
  await forge.request('PUT', '/api/connectors/dry/settings', { values });
  for (const name of Object.keys(TOOLS)) {
    const shown = await forge.request('POST', `/api/tools/dry.${name}/call`, { args: {}, dry_run: true });
    expect(seen).toEqual([]);
    const real = await forge.request('POST', `/api/tools/dry.${name}/call`, { args: {} });
    expect(real.body).toMatchObject({ ok: true });
    const requests = seen.splice(0).map((request) => masked(url, request));
    const [exchange, request] = requests.length === 2 ? requests : [undefined, requests[0]];
    const { method, url: address, headers, body, exchange: announced } = shown.body.dry_run;
    expect({ name, method, url: address, headers, body }).toEqual({ name, ...request });
    if (exchange === undefined) expect(announced).toBeUndefined();
    else expect(exchange).toMatchObject({ ...announced, headers: expect.objectContaining(announced.headers) });
    expect(JSON.stringify(shown.body)).toContain('[secret]');
    expect(JSON.stringify(shown.body)).not.toContain('%5Bsecret');
  }
});
