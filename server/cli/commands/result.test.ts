import { describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream.ts';
import { shopWorld } from '../testing/shop-world.ts';

const ITEMS = Array.from({ length: 300 }, (_, index) => ({ id: index, note: `note ${index} ${'x'.repeat(60)}` }));
const TEXT_SCRIPT = 'script=for (let i = 0; i < 3000; i++) console.log("line " + i)';
const TEXT = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\n');

function handleIn(stderr: string): string {
  return /forge result (res_\w+)/.exec(stderr)?.[1] ?? 'none';
}

describe('a result that is too large to print', () => {
  it('K-50 is whole in the JSON of --json --full, and its beginning in that of --json', async () => {
    const { runArgs } = await shopWorld();
    const call = ['call', 'shop.run_script', '--json', '--set', TEXT_SCRIPT];
    const { code, stdout } = await runArgs([...call, '--full']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ ok: true, result: TEXT })]);
    expect(JSON.parse((await runArgs(call)).stdout).result).toMatchObject({ truncated: true });
  });

  it('K-50 is shown by its beginning, with the command that reads on', async () => {
    const world = await shopWorld();
    await world.startServer();
    const { code, stdout, stderr } = await world.runArgs(['call', 'shop.run_script', '--set', TEXT_SCRIPT]);
    const shown = Number(/this is only the beginning: (\d+) of/.exec(stderr)?.[1]);
    expect([code, stdout.trimEnd()]).toEqual([0, TEXT.slice(0, shown).trimEnd()]);
    expect(shown).toBeGreaterThan(12_000);
    expect(stderr).toContain(`forge: this is only the beginning: ${shown} of ${TEXT.length} characters\n`);
    expect(stderr).toMatch(new RegExp(`Read on: forge result res_\\w+ --offset ${shown} `));

    const next = await world.run(`result ${handleIn(stderr)} --offset ${shown} --limit 100`);
    expect(next.stdout.trimEnd()).toBe(TEXT.slice(shown, shown + 100).trimEnd());
    expect(next.stderr).toMatch(
      new RegExp(`^\\(${shown + 100} of \\d+; read on: forge result res_\\w+ --offset ${shown + 100}\\)\n$`),
    );
    const found = await world.run(`result ${handleIn(stderr)} --search 2999`);
    expect(found.stdout).toMatch(/^LINE +TEXT\n3000 +line 2999\n$/);
  });

  it('K-50 is read in parts when it is a list', async () => {
    const world = await shopWorld(json(ITEMS));
    await world.startServer();
    const { stdout, stderr } = await world.run('call shop.list_items');
    expect(stdout).toMatch(/^\[\{"id":0,"note":/);
    expect(stderr).toContain('  The whole is a list of 300: {id: number, note: text}\n');
    const handle = handleIn(stderr);

    const page = await world.run(`result ${handle} --offset 298`);
    expect(page.stdout).toMatch(/^ID +NOTE\n298 +note 298 x+\n299 +note 299 x+\n$/);
    expect(page.stderr).toBe('');
    expect((await world.run(`result ${handle} --path [7].id`)).stdout).toBe('7\n');
    expect((await world.run(`result ${handle} --path [].id --limit 2`)).stdout).toBe('0\n1\n');
    expect((await world.runArgs(['result', handle, '--search', 'note 12 '])).stdout).toMatch(
      /^INDEX +ID +NOTE\n12 +12 +note 12 x+\n$/,
    );
    expect((await world.run(`result ${handle} --search nowhere`)).stderr).toBe('(nothing matches)\n');
    expect(JSON.parse((await world.run(`result ${handle} --limit 1 --json`)).stdout)).toMatchObject({
      kind: 'items',
      total: 300,
      next_offset: 1,
    });
    const wrong = await world.run(`result ${handle} --path [999].id`);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('the result has nothing at [999].id')]);
  });

  it.each([
    ['a text', TEXT_SCRIPT, `${TEXT}\n`],
    ['an object', 'script=console.log(JSON.stringify({ text: "x".repeat(20000) }))', `text  ${'x'.repeat(20_000)}\n`],
    [
      'a list with an item that fills a page',
      'script=console.log(JSON.stringify([1, "y".repeat(20000), ["z".repeat(20000)]]))',
      `1\n${'y'.repeat(20_000)}\n["${'z'.repeat(20_000)}"]\n`,
    ],
  ])('is printed whole with --full, also without a server: %s', async (_title, script, printed) => {
    const { runArgs } = await shopWorld();
    const { code, stdout, stderr } = await runArgs(['call', 'shop.run_script', '--full', '--set', script]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(printed);
  });

  it('is not promised to be kept when no server runs', async () => {
    const world = await shopWorld(json(ITEMS));
    const { code, stderr } = await world.run('call shop.list_items');
    expect(code).toBe(0);
    expect(stderr).toContain('Call it with --full to print all of it.');
    expect(stderr).not.toContain('Read on');
    const later = await world.run('result res_0123456789abcdef01234567');
    expect([later.code, later.stderr]).toEqual([1, expect.stringContaining('no Forge is running')]);
  });
});

describe('forge result', () => {
  it.each([
    ['result res_1 --offset -1', 2, '--offset is "-1"'],
    ['result res_1 --limit 0', 2, '--limit is "0"'],
    ['result ../calls', 1, '"../calls" cannot be the id of a result'],
  ])('%s: exit code %i', async (argv, exit, message) => {
    const { run } = await shopWorld();
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });
});
