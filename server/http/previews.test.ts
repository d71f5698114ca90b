import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest, tempFolder, testForge } from '../testing/forge.ts';

const HOST = (host: string): string =>
  `tools: { t: { protocol: http, description: Reads it., request: { method: GET, url: "https://${host}/x" } } }`;
const yaml = (host: string, version = '1.0.0'): string => `id: reach
name: Reach
version: "${version}"
description: A connector that talks to one host.
${HOST(host)}
`;

describe('before a connector is installed', () => {
  it('C-118 W-20 a preview shows the whole reach, changes nothing, and what it showed is what gets installed', async () => {
    const forge = await testForge();
    const first = await forge.request('POST', '/api/connectors/preview', { yaml: yaml('a.test') });
    expect(first.body).toMatchObject({
      id: 'reach',
      name: 'Reach',
      from_version: null,
      to_version: '1.0.0',
      hosts: { added: ['https://a.test'], removed: [] },
    });
    expect((await forge.request('GET', '/api/connectors')).body.connectors).toEqual([]);

    const other = await forge.request('POST', `/api/connectors/install-local?expect=${first.body.sha256}`, {
      yaml: yaml('evil.test'),
    });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect((await forge.request('GET', '/api/connectors')).body.connectors).toEqual([]);
    const same = await forge.request('POST', `/api/connectors/install-local?expect=${first.body.sha256}`, {
      yaml: yaml('a.test'),
    });
    expect(same.status).toBe(201);

    const update = await forge.request('POST', '/api/connectors/preview', { yaml: yaml('b.test', '1.1.0') });
    expect(update.body).toMatchObject({
      from_version: '1.0.0',
      hosts: { added: ['https://b.test'], removed: ['https://a.test'] },
    });
  });

  it('W-20 a registry that changes between the look and the yes is not installed', async () => {
    const folder = tempFolder();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(path.join(folder, 'reach'));
    const file = path.join(folder, 'reach', 'manifest.yaml');
    writeFileSync(file, yaml('a.test'));
    const entry = { id: 'reach', name: 'Reach', version: '1.0.0' };
    writeFileSync(path.join(folder, 'registry.json'), JSON.stringify({ version: 1, connectors: [entry] }));
    const forge = await testForge({ FORGE_REGISTRY: folder });
    expect((await forge.request('GET', '/api/connectors/marketplace')).body.bundled).toBe(false);
    const seen = await forge.request('GET', '/api/connectors/marketplace/reach/preview');
    expect(seen.body.hosts.added).toEqual(['https://a.test']);
    const install = `/api/connectors/marketplace/reach/install?expect=${seen.body.sha256}`;
    writeFileSync(file, yaml('evil.test'));
    expect((await forge.request('POST', install)).status).toBe(409);
    writeFileSync(file, yaml('a.test'));
    expect((await forge.request('POST', install)).status).toBe(201);
  });

  it('S2 C-120 files that are not what was accepted are marked, and the review shows what is different', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: yaml('a.test') });
    const summary = async () => (await forge.request('GET', '/api/connectors/reach')).body;
    const { path: file, review } = await summary();
    expect(review).toBe(false);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Reads it.', 'Reads it well.'));
    expect(await summary()).toMatchObject({ edited: true, review: true });
    const texts = (await forge.request('GET', '/api/connectors/reach/review')).body;
    expect(texts).toMatchObject({ changed: true, asks: false, lines: [{ tool: 'reach.t', place: 'description' }] });
    writeFileSync(file, `${yaml('a.test')}# a remark\n`);
    expect(await summary()).toMatchObject({ edited: true, review: false });
    writeFileSync(file, yaml('b.test'));
    expect(await summary()).toMatchObject({ edited: true, review: true });
    const news = (await forge.request('GET', '/api/connectors/reach/review')).body;
    expect(news.hosts).toEqual({ added: ['https://b.test'], removed: ['https://a.test'] });

    const stale = await forge.request('POST', '/api/connectors/reach/accept', { sha256: '0'.repeat(64) });
    expect(stale.status).toBe(409);
    expect((await forge.request('POST', '/api/connectors/reach/accept', { sha256: news.sha256 })).status).toBe(204);
    expect(await summary()).toMatchObject({ review: false });

    await forge.request('DELETE', '/api/connectors/reach?settings=delete');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, yaml('b.test'));
    expect(await summary()).toMatchObject({ source: { kind: 'found' }, review: true });
  });
});

describe('icons', () => {
  it('are served as pictures that may do nothing, and as nothing where there is none', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    for (const place of ['/api/connectors/git/icon', '/api/connectors/marketplace/jira/icon']) {
      const { status, headers, text } = await forge.request('GET', place);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect(text).toContain('<svg');
    }
    expect((await forge.request('GET', '/api/connectors/demo/icon')).status).toBe(204);
    expect((await forge.request('GET', '/api/connectors/marketplace/..%2Fgit/icon')).status).toBe(204);
  });
});
