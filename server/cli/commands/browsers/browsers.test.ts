import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeExtension, type FakeOptions } from '../../../bridge/testing/fake-extension.ts';
import { cliWorld } from '../../testing/cli-world.ts';

async function world(options: FakeOptions = {}) {
  const cli = cliWorld();
  const forge = await cli.startServer();
  const extension = await FakeExtension.connect(forge.url, options);
  onTestFinished(() => void extension.cut());
  const answer = await extension.greet();
  return { ...cli, forge, extension, code: answer.state === 'pairing' ? answer.code : '' };
}

describe('forge browsers', () => {
  it('K-55 shows who asks with the code to compare, and who is paired', async () => {
    const { run, extension, code } = await world();
    const before = (await run('browsers')).stdout;
    expect(before).toContain('No browser is paired.');
    expect(before).toContain('Chromium on Linux asks to be paired, from chrome-extension://');
    expect(before).toContain(`If its popup shows ${code}:  forge browsers accept ${code.replace(' ', '')}`);
    expect(await run(`browsers accept ${code.replace(' ', '')}`)).toMatchObject({
      code: 0,
      stdout: '✓ paired: Chromium on Linux\n',
    });
    await extension.paired();
    expect((await run('browsers')).stdout).toMatch(/^brw_\w{16} +connected +[\d:]+ +1\.0\.0 +Chromium on Linux$/m);
    extension.state({ user_scripts: false, paused: false });
    await extension.settled();
    expect((await run('browsers')).stdout).toContain('no user scripts');
    extension.state({ user_scripts: true, paused: true });
    await extension.settled();
    expect((await run('browsers')).stdout).toContain('paused');
  });

  it('accepts without a code when one browser asks, and says which', async () => {
    const { run, extension, code } = await world();
    const { code: exit, stdout } = await run('browsers accept');
    expect(exit).toBe(0);
    expect(stdout).toContain('paired: Chromium on Linux');
    expect(stdout).toContain(code);
    await extension.paired();
  });

  it('lets a browser use chat and settings, if that is said while accepting it', async () => {
    const { run, forge, extension } = await world();
    expect((await run('browsers accept --manage')).code).toBe(0);
    await extension.paired();
    const { browsers, managers } = forge.services.bridge;
    expect(browsers.list().map(({ id }) => managers.has(id))).toEqual([true]);
  });

  it('accepts none without a code when several ask, and lists them', async () => {
    const { run, forge, code } = await world();
    const other = await FakeExtension.connect(forge.url, { hello: { browser: 'Firefox', browser_id: 'b'.repeat(32) } });
    onTestFinished(() => void other.cut());
    const answer = await other.greet();
    const { code: exit, stderr } = await run('browsers accept');
    expect(exit).toBe(1);
    expect(stderr).toContain(`${code} (Chromium on Linux)`);
    expect(stderr).toContain(`${answer.state === 'pairing' ? answer.code : ''} (Firefox on Linux)`);
    expect(forge.services.bridge.browsers.list()).toEqual([]);
  });

  it('renames and revokes, by id or by name', async () => {
    const { runArgs, run, extension, code } = await world();
    await runArgs(['browsers', 'accept', code]);
    await extension.paired();
    expect(await runArgs(['browsers', 'rename', 'chromium on linux', 'Laptop'])).toMatchObject({
      code: 0,
      stdout: 'it is called Laptop now\n',
    });
    expect(JSON.parse((await run('browsers list --json')).stdout)).toMatchObject({ browsers: [{ name: 'Laptop' }] });
    expect(await run('browsers revoke laptop')).toMatchObject({ code: 0, stdout: 'Laptop is no longer paired\n' });
    expect((await extension.closed).code).toBe(4401);
  });

  it('K-55 a call may name the browser, and needs a Forge that keeps running', async () => {
    const cli = cliWorld();
    const { run, write } = cli;
    const yaml =
      'id: web\nname: Web\nversion: "1.0.0"\nhost_match: https://w.test/*\ntools: { t: { description: Reads., script: return 1 } }\n';
    expect((await run(`connector install ${write('manifest.yaml', yaml)}`)).code).toBe(0);
    expect((await run('call web.t')).stderr).toContain('a browser tool needs a running Forge');
    expect((await run('call web.t --dry-run')).stdout).toContain('"host_match": "https://w.test/*"');
    const forge = await cli.startServer();
    const extension = await FakeExtension.connect(forge.url);
    onTestFinished(() => void extension.cut());
    extension.onRequest = (asked) => asked.returns('from the tab');
    await extension.greet();
    const { id } = forge.services.bridge.server.pending()[0]!;
    forge.services.bridge.server.accept(id);
    await extension.paired();
    expect((await run(`call web.t --browser ${id}`)).stdout).toContain('from the tab');
    expect((await run('call web.t --browser nobody')).stderr).toContain('there is no browser "nobody"');
  });

  it('a pairing can be refused by its id', async () => {
    const { run, extension } = await world();
    const { pending } = JSON.parse((await run('browsers --json')).stdout);
    expect((await run(`browsers revoke ${pending[0].id}`)).code).toBe(0);
    expect((await extension.closed).code).toBe(4401);
  });

  it.each([
    ['browsers accept', 'no browser asks to be paired'],
    ['browsers accept 000000', 'no browser asks with the code "000000"'],
    ['browsers revoke nobody', 'there is no browser "nobody"'],
    ['browsers rename nobody x', 'there is no browser "nobody"'],
  ])('%s: exit code 1', async (argv, message) => {
    const { run } = cliWorld();
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it('what a browser calls itself cannot draw on the terminal', async () => {
    const { run } = await world({ hello: { browser: 'Evil\u001b[2J\u0007', platform: 'x\ny' } });
    const { stdout } = await run('browsers');
    expect(stdout).toContain('asks to be paired');
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
  });
});
