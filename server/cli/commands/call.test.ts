import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream.ts';
import { shopWorld, TOKEN } from '../testing/shop-world.ts';

describe('forge call', () => {
  it('C-54 calls an http tool and prints what came back, with the status line beside it', async () => {
    const { run, service } = await shopWorld(json({ id: 7, name: 'Lamp', tags: ['a', 'b'] }));
    const { code, stdout, stderr } = await run('call shop.get_item --set id=7');
    expect([code, stdout]).toEqual([0, 'id    7\nname  Lamp\ntags  ["a","b"]\n']);
    expect(stderr).toBe(`HTTP 200 OK · GET ${service.url}/items/7\n`);
    expect(service.seen).toMatchObject([{ line: 'GET /items/7', headers: { authorization: `Bearer ${TOKEN}` } }]);
  });

  it('finds a tool by the name that models use too', async () => {
    const { run, service } = await shopWorld();
    expect((await run('call shop__get_item --set id=7')).code).toBe(0);
    expect(service.seen).toHaveLength(1);
  });

  it('prints a list of objects as a table, with a column for each key', async () => {
    const { run } = await shopWorld(
      json([
        { id: 1, name: 'Lamp' },
        { id: 22, sizes: [1, 2] },
      ]),
    );
    const { stdout } = await run('call shop.list_items');
    expect(stdout).toBe('ID  NAME  SIZES\n1   Lamp\n22        [1,2]\n');
  });

  it('C-99 calls a shell tool and prints its text as it is', async () => {
    const { runArgs } = await shopWorld();
    const { code, stdout, stderr } = await runArgs([
      ...['call', 'shop.run_script', '--set'],
      'script=process.stdout.write("a\\tb\\r\\n\\u001b[31mred")',
    ]);
    expect([code, stdout, stderr]).toEqual([0, 'a\tb\r\n\u001b[31mred\n', '']);
  });

  it('prints on a terminal nothing that would act on it', async () => {
    const { runArgs } = await shopWorld();
    const { stdout } = await runArgs(
      ['call', 'shop.run_script', '--set', 'script=console.log("a\\u001b[2Jb\\u0007c\\r\\nd")'],
      { answers: [] },
    );
    expect(stdout).toBe('ab\uFFFDc\nd\n');
  });

  it('prints the answer of the API with --json', async () => {
    const { run } = await shopWorld();
    const { stdout, stderr } = await run('call shop.get_item --set id=7 --json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      result: { id: 7, name: 'Lamp' },
      call_id: expect.stringMatching(/^call_/),
      response: { status: 200 },
    });
    expect(stderr).toBe('');
  });

  it('names itself in the log', async () => {
    const { run } = await shopWorld();
    await run('call shop.get_item --set id=7');
    expect(JSON.parse((await run('calls --json')).stdout)).toMatchObject([{ caller: 'forge-cli' }]);
  });
});

describe('arguments', () => {
  it('C-30 reads each --set as the tool expects it', async () => {
    const { runArgs, service } = await shopWorld();
    const values = ['text=12', 'count=3', 'price=1e3', 'isNew=true', 'size=2', 'tags=["x"]', 'more={"a":1}', 'any=[1]'];
    const { code } = await runArgs(['call', 'shop.save_item', ...values.flatMap((value) => ['--set', value])]);
    expect(code).toBe(0);
    expect(JSON.parse(service.seen[0]!.body)).toEqual({
      text: '12',
      count: 3,
      price: 1000,
      isNew: true,
      size: 2,
      tags: ['x'],
      more: { a: 1 },
      any: [1],
    });
  });

  const given = '{"text": "from args", "count": 1}';
  it.each([
    ['as JSON', given, {}],
    ['from a file', '@FILE', {}],
    ['from standard input', '-', { stdin: given }],
  ])('takes --args %s, and --set on top of it', async (_title, args, options) => {
    const { runArgs, write, service } = await shopWorld();
    const file = write('args.json', given);
    const argv = ['call', 'shop.save_item', '--args', args.replace('FILE', file), '--set', 'count=2'];
    const { code } = await runArgs(argv, options);
    expect(code).toBe(0);
    expect(JSON.parse(service.seen[0]!.body)).toEqual({ text: 'from args', count: 2 });
  });

  it.each([
    [['--args', '{"id"'], '--args is not JSON'],
    [['--args', '[1]'], '--args is not a JSON object'],
    [['--args', '@/nonexistent/args.json'], 'the arguments cannot be read'],
    [['--set', 'id'], '--set needs a name and a value'],
    [['--set', 'id=1', '--set', 'id=2'], '--set id stands there twice'],
    [[], 'the argument id is required'],
    [['--set', 'id=1', '--set', 'nope=1'], 'get_item has no argument "nope"; it takes id'],
    [['--set', 'id=1', '--set', '__proto__=1'], '__proto__ is not an argument of any tool'],
  ])('%j: exit code 2, and nothing is sent', async (argv, message) => {
    const { runArgs, service } = await shopWorld();
    const { code, stdout, stderr } = await runArgs(['call', 'shop.get_item', ...argv]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`forge: ${message}`)]);
    expect(service.seen).toEqual([]);
  });

  it('tells what a number must be', async () => {
    const { run } = await shopWorld();
    const { code, stderr } = await run('call shop.save_item --set count=many');
    expect([code, stderr]).toEqual([2, expect.stringContaining('count must be of type integer, not "many"')]);
  });
});

describe('calls that do not work', () => {
  it.each([
    ['shop.get_itm', 'there is no tool called "shop.get_itm"; did you mean shop.get_item?'],
    ['../connectors', '"../connectors" cannot be the name of a tool'],
  ])('%s: exit code 2', async (tool, message) => {
    const { run } = await shopWorld();
    const { code, stderr } = await run(`call ${tool}`);
    expect(code).toBe(2);
    expect(stderr).toBe(`forge: ${message}\n  \`forge tools\` shows the tools that can be called.\n`);
  });

  it('says what the service said, what to do and where the details are', async () => {
    const { run } = await shopWorld(json({ message: 'no such item' }, 404));
    const { code, stdout, stderr } = await run('call shop.get_item --set id=8');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^forge: HTTP 404 Not Found · GET .*\/items\/8: no such item\n {2}Read what the service says/,
    );
    const [, callId = ''] = /forge calls show (call_\w+)/.exec(stderr) ?? [];
    expect((await run(`calls show ${callId}`)).stdout).toContain('upstream_error');
  });

  it('says so with --json too', async () => {
    const { run } = await shopWorld(json({}, 500));
    const { code, stdout } = await run('call shop.get_item --set id=8 --json');
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ ok: false })]);
  });

  it('keeps the lines of what a program said', async () => {
    const { runArgs } = await shopWorld();
    const script = 'script=console.log("half"); console.error("first\\nsecond"); process.exit(3)';
    const { code, stderr } = await runArgs(['call', 'shop.run_script', '--set', script]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/exited with code 3: first\n {2}second\nhalf\n {2}Read what the program says/);
  });

  it('tells that a connector is switched off', async () => {
    const { run } = await shopWorld();
    await run('connector disable shop');
    const { code, stderr } = await run('call shop.get_item --set id=1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the connector shop is switched off')]);
  });

  it('is stopped by Ctrl-C, and Forge lets go of the service', async () => {
    const signals = new EventEmitter();
    let closed: Promise<unknown> = Promise.resolve();
    const { run } = await shopWorld((_request, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      signals.emit('SIGINT');
    });
    const { code, stderr } = await run('call shop.get_item --set id=1', { signals });
    expect([code, stderr]).toEqual([1, expect.stringContaining('forge: stopped before there was an answer')]);
    await closed;
    expect(signals.listenerCount('SIGINT')).toBe(0);
  });
});

describe('forge call --dry-run', () => {
  it('K-08 shows the request with secrets masked, and sends nothing', async () => {
    const { run, service } = await shopWorld();
    const { code, stdout } = await run('call shop.save_item --set text=hi --dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain(`POST ${service.url}/items\n`);
    expect(stdout).toContain('authorization: Bearer [secret]\n');
    expect(stdout).toContain('\n\n{"text":"hi"}\n');
    expect(stdout).not.toContain(TOKEN);
    expect(service.seen).toEqual([]);
    expect((await run('calls')).stdout).toBe('No tool was called yet.\n');
    expect((await run('calls --failed')).stdout).toBe('No call matches.\n');
  });

  it('shows a command as it could be typed', async () => {
    const { runArgs } = await shopWorld();
    const { stdout } = await runArgs(['call', 'shop.run_script', '--set', "script=it's", '--dry-run']);
    expect(stdout.split('\n')[0]).toMatch(/^\S+node \S+run-script\.cjs 'it'\\''s'$/);
  });

  it('does not ask for an approval', async () => {
    const { run } = await shopWorld();
    expect((await run('call shop.delete_item --set id=7 --dry-run')).code).toBe(0);
    expect((await run('approvals')).stdout).toBe('Nothing waits for an approval.\n');
  });
});
