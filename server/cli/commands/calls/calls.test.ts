import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../store/database.ts';
import { json } from '../../../testing/upstream.ts';
import { shopWorld, TOKEN } from '../../testing/shop-world.ts';

/** Two calls that worked and one that failed. */
async function worldWithCalls() {
  const world = await shopWorld((request, response) => {
    json({ id: 7 }, request.line.endsWith('/gone') ? 404 : 200)(request, response);
  });
  for (const id of ['7', 'gone']) await world.run(`call shop.get_item --set id=${id}`);
  await world.run('call shop.list_items');
  return world;
}

describe('forge calls', () => {
  it('lists the calls, newest first, with how they ended', async () => {
    const { run } = await worldWithCalls();
    const [title, ...rows] = (await run('calls')).stdout.trim().split('\n');
    expect(title).toMatch(/^TIME +ID +WHO +TOOL +OUTCOME +TOOK +ARGUMENTS$/);
    const start = String.raw`^\d\d:\d\d:\d\d +call_\w+ +forge-cli +`;
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(new RegExp(`${start}shop\\.list_items +ok +<?\\d+ ms +\\{\\}$`));
    expect(rows[1]).toMatch(new RegExp(`${start}shop\\.get_item +upstream_error +<?\\d+ ms +\\{"id":"gone"\\}$`));
    expect(rows[2]).toMatch(new RegExp(`${start}shop\\.get_item +ok +<?\\d+ ms +\\{"id":"7"\\}$`));
  });

  it.each([
    ['--tool shop.list_items', ['shop.list_items']],
    ['--failed', ['shop.get_item']],
    ['--search gone', ['shop.get_item']],
    ['--limit 2', ['shop.list_items', 'shop.get_item']],
    ['--tool nope.nope', []],
    ['--connector shop --caller forge-cli --since 2020-01-01 --until 2199-12-31 --limit 1', ['shop.list_items']],
    ['--connector nope', []],
    ['--caller nobody', []],
    ['--since 2199-12-31', []],
    ['--until 2020-01-01', []],
  ])('%s chooses among them', async (flags, tools) => {
    const { run } = await worldWithCalls();
    const calls = JSON.parse((await run(`calls ${flags} --json`)).stdout) as { tool_id: string }[];
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(tools);
  });

  it.each([
    ['calls --limit none', '--limit is "none"'],
    ['calls --since someday', '--since is "someday"'],
    ['calls export --until someday', '--until is "someday"'],
    ['calls shwo', 'too many arguments'],
  ])('%s: exit code 2', async (argv, message) => {
    const { run } = await shopWorld();
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('forge calls show', () => {
  it('shows stages with times, what was sent and what came back, without secrets', async () => {
    const { run, service } = await worldWithCalls();
    const [{ id } = { id: '' }] = JSON.parse((await run('calls --failed --json')).stdout) as { id: string }[];
    const { stdout } = await run(`calls show ${id}`);
    expect(stdout).toContain(`call      ${id}\ntool      shop.get_item\n`);
    expect(stdout).toMatch(/^who {7}forge-cli \(\w+\)$/m);
    expect(stdout).toMatch(/^outcome {3}upstream_error after <?\d+ ms$/m);
    expect(stdout).toMatch(/^message {3}HTTP 404 Not Found/m);
    expect(stdout).toMatch(/^run +[\d.]+ ms$/m);
    expect(stdout).toContain(`SENT\nGET ${service.url}/items/gone\n`);
    expect(stdout).toContain('CAME BACK\nHTTP 404 Not Found\n');
    expect(stdout).toContain('{"id":7}');
    expect(stdout).not.toContain(TOKEN);
    expect(JSON.parse((await run(`calls show ${id} --json`)).stdout)).toMatchObject({ id, code: 'upstream_error' });
  });

  it('shows the command of a shell tool and what it printed', async () => {
    const { run, runArgs } = await shopWorld();
    await runArgs(['call', 'shop.run_script', '--set', 'script=console.log("out"); console.error("err")']);
    const [{ id } = { id: '' }] = JSON.parse((await run('calls --json')).stdout) as { id: string }[];
    const { stdout } = await run(`calls show ${id}`);
    expect(stdout).toContain(`run-script.cjs 'console.log("out"); console.error("err")'`);
    expect(stdout).toContain('exit code 0\nstdout\nout\nstderr\nerr\n');
  });

  it('says that there is no such call', async () => {
    const { run } = await shopWorld();
    const { code, stderr } = await run('calls show call_0000000000000000');
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no such call in the log')]);
  });
});

describe('forge calls export', () => {
  it('prints JSON Lines, oldest first', async () => {
    const { run } = await worldWithCalls();
    const lines = (await run('calls export')).stdout.trim().split('\n');
    const codes = lines.map((line) => (JSON.parse(line) as { code: string | null }).code);
    expect(codes).toEqual([null, 'upstream_error', null]);
    expect((await run('calls export --failed')).stdout.trim().split('\n')).toHaveLength(1);
  });

  it('writes a file that nobody else can read', async () => {
    const { run, root } = await worldWithCalls();
    const file = path.join(root, 'calls.jsonl');
    const { code, stdout } = await run(`calls export ${file}`);
    expect([code, stdout]).toEqual([0, `✓ 3 calls in ${file}\n`]);
    expect(readFileSync(file, 'utf8')).toBe((await run('calls export')).stdout);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  it('says that a file cannot be written', async () => {
    const { run, root } = await shopWorld();
    const { code, stderr } = await run(`calls export ${path.join(root, 'no', 'calls.jsonl')}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('calls.jsonl cannot be written')]);
  });
});

describe('forge calls verify', () => {
  it('confirms a log that nobody touched', async () => {
    const { run } = await worldWithCalls();
    expect(await run('calls verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ 3 calls, and the log is as Forge wrote it\n {2}Head 3:[0-9a-f]{16}\. /),
    });
  });

  it('says where a log was changed: exit code 1', async () => {
    const { run, dataDir } = await worldWithCalls();
    const db = await openDatabase(path.join(dataDir, 'forge.db'));
    db.prepare(`UPDATE calls SET args = '{}' WHERE seq = 2`).run();
    db.close();
    const { code, stdout } = await run('calls verify');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ the log was changed: row 2 \(call_\w+\): its content was changed\n/);
    const asJson = await run('calls verify --json');
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([1, expect.objectContaining({ ok: false, checked: 1 })]);
  });
});
