import { expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';

const MANIFEST = `id: crm
name: CRM
version: "1.0.0"
settings: { base_url: {} }
test: { request: { url: "{base_url}/me" } }
tools:
  list: { protocol: http, description: Lists., request: { url: "{base_url}/customers" } }
`;

it('C-140 a connector works once a test or a call has worked, and fails once one has not', async () => {
  let status = 200;
  const service = await upstream((seen, response) => json({}, seen.url === '/me' ? status : 200)(seen, response));
  const forge = await testForge();
  const health = async () => (await forge.request('GET', '/api/connectors/crm')).body.health;
  const save = () => forge.request('PUT', '/api/connectors/crm/settings', { values: { base_url: service.url } });
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await save();
  expect(await health()).toEqual({ status: 'untested', since: null, message: '' });
  await forge.request('POST', '/api/tools/crm.list/call', { args: {} });
  expect(await health()).toMatchObject({ status: 'working', since: expect.stringMatching(/^20\d\d-/) });
  status = 500;
  await forge.request('POST', '/api/connectors/crm/test');
  expect(await health()).toMatchObject({ status: 'failing', message: expect.stringContaining('HTTP 500') });
  const { body: list } = await forge.request('GET', '/api/connectors');
  expect(list.connectors).toMatchObject([{ id: 'crm', state: 'ready', health: { status: 'failing' } }]);
  status = 200;
  await forge.request('POST', '/api/connectors/crm/test');
  expect((await health()).status).toBe('working');
  await save();
  expect((await health()).status).toBe('untested');
});
