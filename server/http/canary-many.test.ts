import { expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';

const PASSWORD = 'cnry-password-that-stays';

const LOGIN = `id: login
name: Login
version: "1.0.0"
settings: { base_url: {}, password: { type: secret } }
auth: { type: bearer-token-exchange, exchange_url: '{base_url}/login', exchange_body: { password: '{settings.password}' } }
tools:
  get: { protocol: http, description: Gets., request: { url: '{base_url}/x' } }
`;

it(
  'C-80 a saved password is known after 600 bearers, and the token after it has changed',
  { timeout: 60_000 },
  async () => {
    const forge = await testForge();
    let logins = 0;
    // A bearer is good for one request, so that each call needs a new one; short ones are learned quickly.
    const used = new Set<string>();
    const { url } = await upstream(({ url: path, headers }, response) => {
      if (path === '/login') {
        logins += 1;
        response.end(JSON.stringify({ bearerToken: `b${String(logins).padStart(3, '0')}` }));
        return;
      }
      const bearer = String(headers['authorization']);
      const isUsed = used.has(bearer);
      used.add(bearer);
      response.writeHead(isUsed ? 401 : 200).end(JSON.stringify({ said: [PASSWORD, rotated] }));
    });
    let rotated = '';
    await forge.request('POST', '/api/connectors/install-local', { yaml: LOGIN });
    await forge.request('PUT', '/api/connectors/login/settings', { values: { base_url: url, password: PASSWORD } });
    const call = () => forge.request('POST', '/api/tools/login.get/call', { args: {} });
    for (let index = 0; index < 599; index += 1) await call();
    rotated = (await forge.request('POST', '/api/auth/rotate')).body.token;
    const last = await forge.request('POST', '/api/tools/login.get/call', { args: {} }, { 'X-Forge-Token': rotated });
    expect(logins).toBe(600);
    expect(last.body).toMatchObject({ ok: true, result: { said: ['[secret]', '[secret]'] } });
  },
);
