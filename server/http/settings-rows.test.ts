import { describe, expect, it } from 'vitest';
import { manifest, testForge } from '../testing/forge.ts';

describe('settings with rows over HTTP', () => {
  it('W-20 names every setting once, without a value', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', {
      yaml: manifest().replace(/^settings:$/m, 'settings:\n  own_one: { label: My own }\n  bare: {}'),
    });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { bare: 'canary-value' } });
    const { body, text } = await forge.request('GET', '/api/settings/fields');
    expect(body.fields).toEqual(
      expect.arrayContaining([
        { connector: 'demo', connector_name: expect.any(String), name: 'own_one', label: 'My own' },
        { connector: 'demo', connector_name: expect.any(String), name: 'bare', label: 'bare' },
      ]),
    );
    expect(text).not.toContain('canary-value');
  });

  it('C-97 names the row a wrong value stands in, also in a row of a row', async () => {
    const forge = await testForge();
    const rows = (fields: string) => `{ type: instances, fields: { name: { type: string }, ${fields} } }`;
    const instances = rows(`port: { type: integer, label: Port }, more: ${rows('size: { type: number }')}`);
    await forge.request('POST', '/api/connectors/install-local', {
      yaml: manifest().replace(/^settings:$/m, `settings:\n  instances: ${instances}`),
    });
    const { body } = await forge.request('PUT', '/api/connectors/demo/settings', {
      values: {
        instances: [
          { name: 'a', port: 1 },
          { name: 'b', port: 'x', more: [{ name: 'c', size: 'big' }] },
        ],
      },
    });
    expect(body.error.details).toEqual([
      { path: 'instances.1.port', label: 'Port', message: 'must be a number, not "x"' },
      { path: 'instances.1.more.0.size', label: 'size', message: 'must be a number, not "big"' },
    ]);
  });
});
