import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { manifest, tempFolder, testForge } from '../testing/forge.ts';

async function zip(entries: Record<string, string>): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name);
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('installing over HTTP', () => {
  it('C-115 K-30 the documented curl line works as written', async () => {
    const forge = await testForge();
    const sample = readFileSync(
      path.join(import.meta.dirname, '../../shared/manifest/fixtures/jira-sample.yaml'),
      'utf8',
    );
    mkdirSync(path.join(forge.dataDir.connectors, 'jira'));
    const file = path.join(forge.dataDir.connectors, 'jira/manifest.yaml');
    writeFileSync(file, sample);
    const { port } = new URL(forge.url);
    const script = `curl -s -X POST http://localhost:${port}/api/connectors/install-local \\
      -H "X-Forge-Token: $TOKEN" \\
      -H "Content-Type: application/json" \\
      -d "$(jq -nc --arg yaml "$(cat ${file})" '{yaml: $yaml}')"`;
    const answer = JSON.parse(await runAsync(script, { TOKEN: forge.token })) as Record<string, unknown>;
    expect(answer).toMatchObject({ ok: true, id: 'jira', version: '0.1.0', path: file, warnings: [] });
    const listed = await forge.request('GET', '/api/tools');
    expect(listed.body.tools.map(({ id }: { id: string }) => id)).toEqual(['jira.list_my_issues', 'jira.add_comment']);
  });

  it('C-39 D-05 the JIRA sample installs and lists its tools with schemas', async () => {
    const forge = await testForge();
    const yaml = readFileSync(
      path.join(import.meta.dirname, '../../shared/manifest/fixtures/jira-sample.yaml'),
      'utf8',
    );
    expect((await forge.request('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
    const { body } = await forge.request('GET', '/api/connectors/jira');
    expect(body).toMatchObject({
      id: 'jira',
      state: 'needs_settings',
      reason: 'JIRA base URL is required',
      tools: 2,
      source: { kind: 'yaml' },
    });
    expect(body.tool_list[1]).toMatchObject({
      id: 'jira.add_comment',
      name: 'jira__add_comment',
      protocol: 'browser',
      destructive: true,
    });
    expect(body.tool_list[1].input_schema.required).toEqual(['issue_key', 'text']);
  });

  it('C-117 C-118 installs a zip and says what it left out', async () => {
    const forge = await testForge();
    const yaml =
      'id: demo\nname: Demo\nversion: "1.0.0"\ndescription: A demo connector to test with.\nhost_match: https://a.test/*\nlogin_redirect: /login\ntools: { list: { description: List. } }\n';
    const bytes = await zip({
      'manifest.yaml': yaml,
      'tools/list.js': 'return [];',
      'README.md': '# Demo',
      LICENSE: 'MIT',
    });
    const { status, body } = await forge.request('POST', '/api/connectors/install-local', bytes);
    expect(status).toBe(201);
    expect(body.warnings.map(({ message }: { message: string }) => message)).toEqual([
      'LICENSE is not part of a connector and was left out',
    ]);
    expect((await forge.request('GET', '/api/connectors/demo')).body).toMatchObject({
      readme: '# Demo',
      source: { kind: 'zip' },
    });
  });

  it('answers an invalid manifest with every place that is wrong', async () => {
    const forge = await testForge();
    const { status, body } = await forge.request('POST', '/api/connectors/install-local', {
      yaml: 'id: Demo\nname: D\nversion: 1\ntools: {}\n',
    });
    expect(status).toBe(400);
    expect(body.error.code).toBe('invalid_manifest');
    expect(body.error.details).toMatchObject([
      { line: 1, column: 5, path: 'id' },
      { line: 3, column: 10, path: 'version' },
    ]);
    expect((await forge.request('GET', '/api/connectors')).body.connectors).toEqual([]);
  });

  it('C-17 K-03 answers 409 when Forge is too old for a connector', async () => {
    const forge = await testForge();
    const { status, body } = await forge.request('POST', '/api/connectors/install-local', {
      yaml: `min_forge_version: "99.0.0"\n${manifest()}`,
    });
    expect([status, body.error.code]).toEqual([409, 'forge_too_old']);
  });

  it('C-120 uses an edited manifest from the next request on, and refreshes on demand', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    const edited = manifest('  ping: { protocol: shell, description: Ping., command: [ls] }\n', 'demo', '0.1.1');
    writeFileSync(path.join(forge.dataDir.connectors, 'demo/manifest.yaml'), edited);
    const { body } = await forge.request('POST', '/api/connectors/demo/refresh');
    expect(body).toMatchObject({ version: '0.1.1', tools: 2, edited: true });
    writeFileSync(path.join(forge.dataDir.connectors, 'demo/manifest.yaml'), 'id: [');
    expect((await forge.request('GET', '/api/connectors/demo')).body).toMatchObject({ state: 'broken', tools: 0 });
    expect((await forge.request('GET', '/api/connectors/demo/settings')).body.error.code).toBe('connector_broken');
  });

  it('reads and replaces a manifest', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    expect((await forge.request('GET', '/api/connectors/demo/manifest')).body.yaml).toBe(manifest());
    expect(
      (await forge.request('PUT', '/api/connectors/demo/manifest', { yaml: manifest('', 'demo', '0.1.1') })).body,
    ).toMatchObject({ ok: true, version: '0.1.1', previous_version: '0.1.0' });
    expect((await forge.request('PUT', '/api/connectors/demo/manifest', { yaml: manifest('', 'other') })).status).toBe(
      409,
    );
    expect((await forge.request('PUT', '/api/connectors/nope/manifest', { yaml: manifest('', 'nope') })).status).toBe(
      404,
    );
  });

  it('replacing keeps settings; removing asks what to do with them', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    await forge.request('PUT', '/api/connectors/demo/settings', {
      values: { base_url: 'https://a.test', token: 'tttt' },
    });
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest('', 'demo', '0.2.0') });
    const kept = { base_url: 'https://a.test', token: { $secret: true } };
    expect((await forge.request('GET', '/api/connectors/demo/settings')).body.values).toMatchObject(kept);
    expect((await forge.request('DELETE', '/api/connectors/demo')).body.error.code).toBe('settings_choice_required');
    expect((await forge.request('DELETE', '/api/connectors/demo?settings=maybe')).body.error.code).toBe(
      'invalid_request',
    );
    expect((await forge.request('DELETE', '/api/connectors/demo?settings=keep')).status).toBe(200);
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    expect((await forge.request('GET', '/api/connectors/demo/settings')).body.values).toMatchObject(kept);
    await forge.request('DELETE', '/api/connectors/demo?settings=delete');
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    expect((await forge.request('GET', '/api/connectors/demo/settings')).body.values).toEqual({
      base_url: null,
      token: null,
    });
  });

  it('switches a connector off, and its tools with it', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    expect((await forge.request('PATCH', '/api/connectors/demo', { enabled: false })).body).toMatchObject({
      state: 'disabled',
      enabled: false,
    });
    expect((await forge.request('GET', '/api/tools')).body.tools).toEqual([]);
  });

  it.each(['..', '%2e%2e', '..%2f..%2fetc', 'CON', 'a'.repeat(200), '__proto__'])(
    'answers the id %s with 404',
    async (id) => {
      const forge = await testForge();
      expect((await forge.request('GET', `/api/connectors/x/../${id}/settings`)).status).toBe(404);
      expect((await forge.request('DELETE', `/api/connectors/${encodeURIComponent(id)}?settings=delete`)).status).toBe(
        404,
      );
    },
  );
});

describe('the list of tools', () => {
  it('may be kept by a client, which is told in a word when it still holds', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    const first = await forge.request('GET', '/api/tools');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');

    const ask = () => forge.request('GET', '/api/tools', undefined, { 'If-None-Match': `"other", ${etag}` });
    const again = await ask();
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('cache-control')).toBe('private, no-cache');

    writeFileSync(
      path.join(forge.dataDir.connectors, 'demo/manifest.yaml'),
      manifest('', 'demo').replace('get_item', 'get_one'),
    );
    const changed = await ask();
    expect([changed.status, changed.body.tools[0].id]).toEqual([200, 'demo.get_one']);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('is not told to hold to somebody without the token', async () => {
    const forge = await testForge();
    const { headers } = await forge.request('GET', '/api/tools');
    const asked = { 'X-Forge-Token': 'wrong', 'If-None-Match': headers.get('etag') ?? '' };
    const { status, headers: refused } = await forge.request('GET', '/api/tools', undefined, asked);
    expect([status, refused.get('cache-control'), refused.get('etag')]).toEqual([401, 'no-store', null]);
  });
});

describe('settings over HTTP', () => {
  it('C-19 C-40 W-17 saves, masks and says what is missing', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    const { body } = await forge.request('PUT', '/api/connectors/demo/settings', { values: { token: 'tttt' } });
    expect(body).toMatchObject({
      values: { base_url: null, token: { $secret: true } },
      missing: [{ path: 'base_url', label: 'Base URL' }],
      revision: 1,
    });
  });

  it('answers wrong values with the field’s label and path', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    const { status, body } = await forge.request('PUT', '/api/connectors/demo/settings', {
      values: { base_url: ['x'], tokn: 'y' },
    });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      { path: 'tokn', label: 'tokn', message: 'is not a setting of this connector; did you mean token?' },
      { path: 'base_url', label: 'Base URL', message: 'must be text, not a list' },
    ]);
  });

  it('lets only one of two writers win', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    const { headers } = await forge.request('GET', '/api/connectors/demo/settings');
    const match = { 'If-Match': headers.get('etag') ?? '' };
    const answers = await Promise.all(
      ['a', 'b'].map((name) =>
        forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: `https://${name}.test` } }, match),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('rotates the key with every secret still readable', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { token: 'canary-77' } });
    const before = (await forge.request('GET', '/api/secrets')).body;
    const rotation = (await forge.request('POST', '/api/secrets/rotate')).body;
    expect(rotation).toMatchObject({ from: before.keyId, count: 1 });
    const pack = forge.services.catalog.getPackage('demo');
    expect(forge.services.settings.resolve(pack, () => null)['token']).toSatisfy(
      (secret: { reveal(): string }) => secret.reveal() === 'canary-77',
    );
  });
});

describe('the server about itself', () => {
  it('K-42 answers health', async () => {
    const forge = await testForge();
    expect((await forge.request('GET', '/api/health')).body).toEqual({
      status: 'ok',
      problems: [],
      version: '1.0.0',
      forge_command: 'forge',
      adapters: { 'vercel-ai': { status: 'degraded' } },
      bridge: { connected: 0 },
      watches: 0,
    });
  });

  it('has metrics by route, with no path or secret in them', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    await forge.request('GET', '/api/connectors/some-canary-path');
    const { text } = await forge.request('GET', '/metrics');
    expect(text).toContain('forge_http_requests_total{method="GET",route="/api/connectors/:id",status="404"} 1');
    expect(text).toContain('forge_connectors{state="needs_settings"} 1');
    expect(text).not.toContain('canary');
  });

  it('describes every route in OpenAPI, from schemas that hold for its answers', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    const { body: document } = await forge.request('GET', '/api/openapi.json');
    const described = Object.entries<Record<string, unknown>>(document.paths).flatMap(([place, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${place}`),
    );
    expect(described.sort()).toEqual(
      forge.routes.map(({ method, path: place }) => `${method} ${place.replace(/:(\w+)/g, '{$1}')}`).sort(),
    );
    const ajv = new Ajv({ strict: false });
    for (const place of [
      '/api/health',
      '/api/connectors',
      '/api/connectors/demo',
      '/api/connectors/demo/settings',
      '/api/connectors/demo/manifest',
      '/api/connectors/marketplace',
      '/api/tools',
      '/api/secrets',
    ]) {
      const operation = document.paths[place] ?? document.paths[place.replace('demo', '{id}')];
      const schema = operation.get.responses['200'].content['application/json'].schema;
      const { body } = await forge.request('GET', place);
      const valid = ajv.validate(schema, body);
      expect(`${place} ${valid ? 'fits' : ajv.errorsText()}`).toBe(`${place} fits`);
    }
  });

  it('C-113 keeps everything in the data dir it was given', async () => {
    const folder = path.join(tempFolder(), 'elsewhere');
    const forge = await testForge({ FORGE_DATA_DIR: folder });
    expect(forge.dataDir.root).toBe(folder);
    expect(execFileSync('ls', ['-A', folder]).toString().split('\n')).toEqual(
      expect.arrayContaining(['connectors', 'files', 'forge.db', 'token']),
    );
  });
});

function runAsync(script: string, env: Record<string, string>): Promise<string> {
  return import('node:child_process').then(
    ({ execFile }) =>
      new Promise((resolve, reject) => {
        execFile('bash', ['-c', script], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
          error ? reject(new Error(`${error.message} ${stderr}`)) : resolve(stdout),
        );
      }),
  );
}
