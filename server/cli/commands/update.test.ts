import { describe, expect, it } from 'vitest';
import { json, upstream } from '../../testing/upstream.ts';
import { FORGE_VERSION } from '../../version.ts';
import { cliWorld } from '../testing/cli-world.ts';

describe('forge update check', () => {
  it('says which version is newer and how to update, from the address in FORGE_UPDATE_URL', async () => {
    const registry = await upstream(json({ 'dist-tags': { latest: '99.1.0' } }));
    const { code, stdout } = await cliWorld({ FORGE_UPDATE_URL: `${registry.url}/npm/` }).run('update check');
    expect(code).toBe(0);
    expect(stdout).toContain(`Forge 99.1.0 is available; this is ${FORGE_VERSION}.`);
    expect(stdout).toContain('forge@99.1.0');
    expect(registry.seen.map(({ url }) => url)).toEqual(['/npm/forge']);
  });

  it.each([FORGE_VERSION, '0.9.0'])('says that this is the latest when the registry has %s', async (latest) => {
    const registry = await upstream(json({ 'dist-tags': { latest } }));
    const { stdout } = await cliWorld().run(`update check --registry ${registry.url}`);
    expect(stdout).toBe(`Forge ${FORGE_VERSION} is the latest version.\n`);
  });

  it.each([
    ['no tags', { versions: {} }],
    ['no version', { 'dist-tags': { latest: '; rm -rf /' } }],
    ['no object', [1]],
  ])('says so when the answer has %s', async (_what, body) => {
    const registry = await upstream(json(body));
    const { code, stderr } = await cliWorld().run(`update check --registry ${registry.url}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('answered with no latest version')]);
  });

  it('says so when nobody answers, when the address is none, and when there is none', async () => {
    const gone = await cliWorld().run('update check --registry http://127.0.0.1:1');
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('cannot be read')]);
    const bad = await cliWorld().run('update check --registry file:///etc');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('is not the address of a registry')]);
    const none = await cliWorld().run('update check');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('FORGE_UPDATE_URL')]);
  });
});
