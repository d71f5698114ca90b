import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../testing/forge.ts';
import { json } from '../testing/upstream.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';
import { cliWorld } from './testing/cli-world.ts';
import { shopWorld } from './testing/shop-world.ts';

const meanings = new Map([...EXIT_CODES_HELP.matchAll(/^ {2}(\d) {2}(.+)$/gm)].map(([, code, text]) => [code, text]));

/** Replaces a text in the installed manifest, as somebody who edits the file would. */
function edit(dataDir: string, id: string, before: string, after: string): void {
  const file = path.join(dataDir, 'connectors', id, 'manifest.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(before, after));
}

/** By code, in the words of --help: command lines that end with it. */
const ROWS: [code: number, meaning: string, argv: string[]][] = [
  [0, 'done', ['call shop.get_item --set id=7', 'call shop.delete_item --set id=7 --yes', 'tools', 'connector list']],
  [0, 'done', ['call shop.delete_item --set id=7 --dry-run', 'call shop.delete_item --help', '--version']],
  [1, 'it did not work', ['call shop.run_script --set script=process.exit(4)', 'connector show nowhere', 'connector install nowhere.zip']],
  [1, 'a check found something wrong', ['connector test shop', 'connector lint broken.yaml']],
  [2, 'the command line was not understood', ['cal shop.get_item', 'call', 'call shop.get_item --st id=7', 'start --port x']],
  [2, 'the command line was not understood', ['call shop.get_item --args {', 'call shop.get_item --set id', 'connector remove shop']],
  [2, 'names a tool or an argument that does not exist', ['call shop.get', 'call shop.get_item --set id=7 --set ix=7', 'call shop.get_item']],
  [3, 'a person has to approve it first', ['call shop.delete_item --set id=7', 'call shop.delete_item --set id=7 --json']],
]; // prettier-ignore

describe('what --help says of exit codes', () => {
  it.each(ROWS)('%i: %s: %j', async (code, meaning, lines) => {
    expect(meanings.get(String(code))).toContain(meaning);
    const world = await shopWorld((seen, response) =>
      seen.url === '/me' ? void response.writeHead(500).end() : json({ id: 7 })(seen, response),
    );
    const broken = world.write('broken.yaml', 'id: [');
    for (const argv of lines) {
      const outcome = await world.run(argv.replace('broken.yaml', broken));
      expect(outcome.code, `${argv}\n${outcome.stderr}`).toBe(code);
    }
  });

  const DOWN = '\u001b[B';
  const refusals: [argv: string, question: string, keys: string, said: string][] = [
    ['call shop.delete_item --set id=7', 'Run shop.delete_item', 'n', 'denied; nothing was sent'],
    ['connector remove shop', 'Remove shop?', `${DOWN}${DOWN}\r`, 'Nothing was removed.'],
    ['connector remove shop', 'Remove shop?', '\u0003', 'Nothing was removed.'],
    ['connector accept shop', 'Accept shop', 'n', 'Nothing was accepted.'],
    ['connector install demo.yaml', 'Install demo', 'n', 'Nothing was installed.'],
    ['connector update', 'Update offered?', 'n', 'offered was left as it is'],
  ];

  it.each(refusals)('3: a person said no: %s', async (argv, question, keys, said) => {
    expect(meanings.get('3')).toContain('said no');
    const world = await shopWorld();
    const file = world.write('demo.yaml', manifest());
    if (argv.includes('accept')) edit(world.dataDir, 'shop', '/items/', '/goods/');
    if (argv.includes('update')) {
      world.offer(manifest('', 'offered', '1.0.0'));
      await world.run('connector install offered');
      world.offer(manifest('', 'offered', '2.0.0'));
    }
    const { code, stdout, stderr } = await world.run(argv.replace('demo.yaml', file), { answers: [[question, keys]] });
    expect([code, `${stdout}${stderr}`]).toEqual([3, expect.stringContaining(said)]);
    expect(world.service.seen).toEqual([]);
  });

  it('3: a person has to look at changed files first, and --yes to a call is none to them', async () => {
    const world = await shopWorld();
    edit(world.dataDir, 'shop', '/items/', '/goods/');
    for (const argv of [
      'call shop.get_item --set id=7',
      'call shop.get_item --set id=7 --yes',
      'connector accept shop',
    ])
      expect((await world.run(argv)).code, argv).toBe(3);
    edit(world.dataDir, 'shop', "'{base_url}/me'", "'{base_url}/you'");
    expect((await world.run('connector test shop')).code).toBe(3);
    expect(world.service.seen).toEqual([]);
    const unasked = await world.run('connector accept shop');
    expect(unasked.stderr).toContain('--yes');
    expect((await world.run('connector accept shop --yes')).code).toBe(0);
    expect((await world.run('call shop.get_item --set id=7')).code).toBe(0);
  });
});

describe('--yes', () => {
  it.each(['call', 'connector install', 'connector update', 'connector accept'])(
    'is an option of %s',
    async (command) => {
      expect((await cliWorld().run(`${command} --help`)).stdout).toMatch(/-y, --yes/);
    },
  );

  it('asks a person at a terminal nothing', async () => {
    const world = await shopWorld();
    world.offer(manifest('', 'offered', '1.0.0'));
    const run = async (argv: string) => (await world.run(argv, { answers: [] })).code;
    expect(await run(`connector install ${world.write('demo.yaml', manifest())} --yes`)).toBe(0);
    expect(await run('connector install offered --yes')).toBe(0);
    world.offer(manifest('', 'offered', '2.0.0'));
    expect(await run('connector update --yes')).toBe(0);
    edit(world.dataDir, 'shop', '/items/', '/goods/');
    expect(await run('connector accept shop --yes')).toBe(0);
    expect(await run('call shop.delete_item --set id=7 --yes')).toBe(0);
    // Two questions: the host, and the call.
    const host = new URL(world.service.url).host;
    expect(await run(`call shop.delete_elsewhere --set id=7 --set host=${host} --yes`)).toBe(0);
    expect(world.service.seen.map(({ line }) => line)).toEqual(['DELETE /goods/7', 'DELETE /goods/7']);
  });
});
