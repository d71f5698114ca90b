import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { startVerdaccio, type Verdaccio } from './testing/verdaccio-process.ts';

const MANIFEST = readFileSync(path.join(import.meta.dirname, 'fixtures/verdaccio.yaml'), 'utf8');
const PACKAGE = '@forge/demo';
const TARBALL = gzipSync('not really a tarball, but Verdaccio does not look inside');

interface World {
  verdaccio: Verdaccio;
  forge: ForgeProcess;
  /** Calls a tool and gives the body of the answer. */
  call: (tool: string, args?: object, more?: object) => Promise<Answer>;
  save: (values: object) => Promise<void>;
  test: () => Promise<Record<string, unknown>>;
}

interface Answer {
  ok?: boolean;
  result?: unknown;
  error?: { code: string; message: string; hint: string };
  approval_id?: string;
}

/** Verdaccio, Forge, the connector installed and its settings saved, all through the doors a person would use. */
async function startWorld(): Promise<World> {
  const verdaccio = await startVerdaccio();
  const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
  const send = async <T>(method: string, place: string, body?: object): Promise<T> =>
    (await (await forge.call(method, place, body)).json()) as T; // each assertion is the check
  const installed = await forge.call('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  expect([installed.status, await installed.json()]).toMatchObject([201, { id: 'verdaccio', warnings: [] }]);
  const world: World = {
    verdaccio,
    forge,
    call: (tool, args = {}, more = {}) => send('POST', `/api/tools/verdaccio.${tool}/call`, { args, ...more }),
    save: async (values) => {
      expect((await forge.call('PUT', '/api/connectors/verdaccio/settings', { values })).status).toBe(200);
    },
    test: () => send('POST', '/api/connectors/verdaccio/test'),
  };
  const { name, password } = verdaccio.user;
  await world.save({ base_url: `${verdaccio.url}/`, username: name, password });
  return world;
}

/** What npm would send to publish a package. */
function publishDocument(registry: string, version: string): object {
  const file = `demo-${version}.tgz`;
  const shasum = createHash('sha1').update(TARBALL).digest('hex');
  const tarball = `${registry}/${PACKAGE}/-/${file}`;
  return {
    _id: PACKAGE,
    name: PACKAGE,
    description: 'A package for a test',
    'dist-tags': { latest: version },
    versions: { [version]: { name: PACKAGE, version, description: 'A package for a test', dist: { shasum, tarball } } },
    _attachments: {
      [file]: { content_type: 'application/octet-stream', data: TARBALL.toString('base64'), length: TARBALL.length },
    },
  };
}

/** A person agrees, and the call goes through. */
async function publish({ forge, call, verdaccio }: World, version: string): Promise<Answer> {
  const args = { name: PACKAGE, document: publishDocument(verdaccio.url, version) };
  const asked = await call('publish', args);
  expect(asked.error?.code).toBe('approval_required');
  expect((await call('package', { name: PACKAGE })).ok).toBe(false);
  await forge.call('POST', `/api/approvals/${String(asked.approval_id)}`, { decision: 'approve' });
  return call('publish', args, { approval_id: asked.approval_id });
}

async function expectCleanLog({ forge, verdaccio }: World): Promise<void> {
  expect(await (await forge.call('GET', '/api/calls/verify')).json()).toMatchObject({ ok: true });
  const log = await (await forge.call('GET', '/api/calls/export')).text();
  expect(log).toContain('verdaccio.');
  expect(log).not.toContain(verdaccio.user.password);
  expect(log).not.toContain(JSON.stringify(verdaccio.user.password).slice(1, -1));
  // How a signed token begins.
  expect(log).not.toContain('eyJ');
}

describe('Verdaccio, as a real service', () => {
  it('C-101 C-106 the Test button says who is signed in', async () => {
    const { test, verdaccio } = await startWorld();
    expect(await test()).toMatchObject({
      ok: true,
      status: 200,
      message: 'Signed in as ada',
      url: `${verdaccio.url}/-/whoami`,
    });
  });

  it('C-58 C-64 C-76 tools sign in by exchange or with the password, and one login serves them all', async () => {
    const world = await startWorld();
    const { call, verdaccio } = world;
    // Verdaccio lets nobody log in more than five times a minute.
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('whoami')));
    for (const answer of answers) expect(answer).toMatchObject({ ok: true, result: { username: 'ada' } });
    expect(verdaccio.logins()).toBe(1);
    expect(await call('profile')).toMatchObject({ ok: true, result: { name: 'ada' } });
    expect(await call('list_packages')).toMatchObject({ ok: true, result: [] });
    const page = await call('page');
    expect(page).toMatchObject({ ok: true, response: { status: 200, method: 'GET', url: `${verdaccio.url}/` } });
    expect(String(page.result)).toContain('<title>The real service</title>');
    await expectCleanLog(world);
  });

  it('C-82 C-84 K-10 W-04 W-07 publishes a scoped package when a person agrees, and finds it again', async () => {
    const world = await startWorld();
    const { call } = world;
    expect(await publish(world, '1.0.0')).toMatchObject({ ok: true, response: { status: 201 } });
    expect(await call('list_packages')).toMatchObject({
      result: [{ name: PACKAGE, version: '1.0.0', description: 'A package for a test' }],
    });
    expect(await call('tag', { name: PACKAGE, tag: 'beta', version: '1.0.0' })).toMatchObject({ ok: true });
    expect(await call('package', { name: PACKAGE })).toMatchObject({
      ok: true,
      result: {
        name: PACKAGE,
        'dist-tags': { latest: '1.0.0', beta: '1.0.0' },
        versions: { '1.0.0': { version: '1.0.0' } },
      },
    });
    expect(await call('search', { text: 'demo' })).toMatchObject({
      result: [{ package: { name: PACKAGE, 'dist-tags': { latest: '1.0.0' } } }],
    });
    const { result } = await call('download', { name: PACKAGE, file: 'demo-1.0.0.tgz' });
    expect(result).toMatchObject({ filename: 'demo-1.0.0.tgz', size_bytes: TARBALL.length });
    expect(readFileSync((result as { path: string }).path)).toEqual(TARBALL);
    await expectCleanLog(world);
  });

  it('what the service refuses is told with its own words', async () => {
    const { call } = await startWorld();
    expect(await call('package', { name: 'nothing-here' })).toMatchObject({
      ok: false,
      error: {
        code: 'upstream_error',
        message: expect.stringMatching(/HTTP 404 Not Found · GET .*no such package available/),
      },
    });
    expect(await call('tag', { name: 'nothing-here', tag: 'beta', version: '1.0.0' })).toMatchObject({
      ok: false,
      error: { code: 'upstream_error', message: expect.stringContaining('404') },
    });
  });

  it('C-77 a wrong password is told cleanly, and the right one works again at once', async () => {
    const world = await startWorld();
    const { call, save, test, verdaccio } = world;
    await publish(world, '1.0.0');
    const wrong = 'wrong-password-canary';
    await save({ base_url: verdaccio.url, username: 'ada', password: wrong });
    const exchanged = await call('package', { name: PACKAGE });
    expect(exchanged).toMatchObject({
      ok: false,
      error: { code: 'exchange_failed', message: expect.stringContaining('refused the credentials (HTTP 401)') },
    });
    const basic = await call('package_with_password', { name: PACKAGE });
    expect(basic).toMatchObject({
      ok: false,
      error: { code: 'login_required', message: expect.stringContaining('authorization required') },
    });
    const tested = await test();
    expect(tested).toMatchObject({ ok: false, hint: expect.stringContaining('credentials') });
    expect(JSON.stringify([exchanged, basic, tested])).not.toContain(wrong);
    await save({ password: verdaccio.user.password });
    expect(await call('package', { name: PACKAGE })).toMatchObject({ ok: true });
    await expectCleanLog(world);
  });

  it('a token the service no longer takes is replaced, once for everybody', async () => {
    const world = await startWorld();
    const { call, verdaccio } = world;
    await publish(world, '1.0.0');
    await verdaccio.restartWithNewKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('package', { name: PACKAGE })));
    for (const answer of answers) expect(answer).toMatchObject({ ok: true, result: { name: PACKAGE } });
    expect(verdaccio.logins()).toBe(1);
    await expectCleanLog(world);
  });

  it('a login that the service limits is told as such, and not counted as a wrong password', async () => {
    const { call, save, verdaccio } = await startWorld();
    const messages: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      await save({ base_url: verdaccio.url, username: 'ada', password: `wrong-password-${n}` });
      messages.push((await call('whoami')).error?.message);
    }
    expect(messages.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => expect.stringContaining('HTTP 401')));
    expect(messages[5]).toContain('HTTP 429');
  });
});
