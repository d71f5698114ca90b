import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesBelow, findCanaries } from '../testing/canaries.ts';
import { manifest, testForge } from '../testing/forge.ts';

const CANARIES = [
  'cnry-Flat/secret+"quoted"=7',
  'cnry-In-A-Röw-ünïcode-42',
  'cnry-nested\\backslash-&-amp;',
  'cnry-rejected-value-99',
];

const NESTED = `id: rows
name: Rows
version: "1.0.0"
settings:
  plain: { type: string }
  token: { type: secret }
  instances:
    type: instances
    fields:
      name: { type: string, required: true }
      api_token: { type: secret }
      inject_params: { type: instances, fields: { name: { type: string }, value: { type: secret } } }
tools: { t: { protocol: shell, command: [ls] } }
`;

it('C-22 C-95 C-98 no byte of a secret reaches a log, an answer, an error, the database or any file of the data dir', async () => {
  const forge = await testForge({ FORGE_LOG: 'trace' });
  const heard: string[] = [];
  const call = async (method: string, place: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await forge.request(method, place, body, headers);
    heard.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };
  const [flat, inRow, nested, rejected] = CANARIES as [string, string, string, string];
  const rows = [{ name: 'prod', api_token: inRow, inject_params: [{ name: 'PAT', value: nested }] }];

  await call('POST', '/api/connectors/install-local', { yaml: manifest() });
  await call('POST', '/api/connectors/install-local', { yaml: NESTED });
  const saved = await call('PUT', '/api/connectors/rows/settings', { values: { token: flat, instances: rows } });
  expect(saved.status).toBe(200);
  expect((await call('PUT', '/api/connectors/demo/settings', { values: { token: flat } })).status).toBe(200);

  // Refusals that have the secret in hand.
  await call('PUT', '/api/connectors/demo/settings', { values: { token: `${rejected}\n` } });
  await call('PUT', '/api/connectors/demo/settings', { values: { token: rejected, base_url: [1] } });
  await call('PUT', '/api/connectors/demo/settings', { values: { token: [rejected] } });
  await call('PUT', '/api/connectors/demo/settings', { values: { tokn: rejected } });
  await call('PUT', '/api/connectors/demo/settings', { vals: { token: rejected } });
  await call('PUT', '/api/connectors/demo/settings', `{"values": {"token": "${rejected}"`);
  await call('PUT', '/api/connectors/demo/settings', { values: { token: rejected }, revision: 999 });
  await call('PUT', '/api/connectors/nope/settings', { values: { token: rejected } });
  await call('POST', '/api/auth/login', { token: rejected });
  await call('GET', '/api/tools', undefined, { 'X-Forge-Token': rejected });

  // Everything that reads.
  const readable = forge.routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path: place }) =>
      place.includes(':id') ? [place.replace(':id', 'demo'), place.replace(':id', 'rows')] : [place],
    );
  // That one goes on as long as somebody listens.
  const once = (place: string) => place.replace(/^\/api\/events$/, '/api/events?after=0&follow=false');
  for (const place of readable) await call('GET', once(place));
  await call('POST', '/api/secrets/rotate');
  await call('PUT', '/api/connectors/rows/settings', { values: { token: { $secret: true }, plain: 'x' } });
  writeFileSync(path.join(forge.dataDir.connectors, 'demo/manifest.yaml'), 'id: [');
  await call('GET', '/api/connectors');
  await call('DELETE', '/api/connectors/rows?settings=keep');
  forge.log.error({ error: new Error(`failed with ${flat}`), nested: { value: inRow } }, `a message with ${nested}`);

  // The secrets can be read by who may read them: the search below is for real values.
  await call('POST', '/api/connectors/install-local', { yaml: NESTED });
  const resolved = forge.services.settings.resolve(forge.services.catalog.getPackage('rows'), () => null);
  expect((resolved['token'] as { reveal(): string }).reveal()).toBe(flat);

  await forge.close();
  const places = [
    ...filesBelow(forge.dataDir.root),
    { name: 'the log', bytes: Buffer.from(forge.logLines.join('')) },
    { name: 'the answers', bytes: Buffer.from(heard.join('\n')) },
  ];
  expect(places.find(({ name }) => name === 'forge.db')?.bytes.length).toBeGreaterThan(0);
  expect(forge.logLines.join('')).toContain('[secret]');
  expect(findCanaries(places, CANARIES)).toEqual([]);
});
