import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream.ts';
import { shopWorld } from '../testing/shop-world.ts';

const DELETE = 'call shop.delete_item --set id=7';

describe('a destructive call', () => {
  it('K-10 waits for an approval where nobody can be asked: exit code 3', async () => {
    const { run, service } = await shopWorld();
    const { code, stdout, stderr } = await run(DELETE);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^forge: a person has to approve this first: Delete one item on 127\.0\.0\.1:\d+\. Shop: delete_item changes something/,
    );
    const [, id = ''] = /forge approvals approve (apr_\w+)\n/.exec(stderr) ?? [];
    expect(service.seen).toEqual([]);

    expect((await run(`approvals approve ${id}`)).code).toBe(0);
    expect(await run(DELETE)).toMatchObject({ code: 0, stdout: 'id    7\nname  Lamp\n' });
    expect(service.seen.map(({ line }) => line)).toEqual(['DELETE /items/7']);
    expect((await run(DELETE)).code).toBe(3);
  });

  it('prints what the API said with --json', async () => {
    const { run } = await shopWorld();
    const { code, stdout } = await run(`${DELETE} --json`);
    expect([code, JSON.parse(stdout)]).toEqual([
      3,
      expect.objectContaining({
        error: expect.objectContaining({ code: 'approval_required' }),
        approval_id: expect.stringMatching(/^apr_/),
      }),
    ]);
  });

  it('K-10 runs with --yes, and says that it was approved', async () => {
    const { run, service } = await shopWorld();
    const { code, stderr } = await run(`${DELETE} --yes`);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^approved apr_\w+: run shop\.delete_item with these arguments\nHTTP 200/);
    expect(service.seen).toHaveLength(1);
  });

  it('shows a person on a terminal what would be done, and does it after a yes', async () => {
    const { runArgs, service } = await shopWorld();
    const { code, stdout, stderr } = await runArgs(
      ['call', 'shop.delete_item', '--set', 'id=7 \u202E\u200bevil', '--set', 'force=true'],
      { answers: [['Run shop.delete_item', 'y']] },
    );
    expect(code).toBe(0);
    expect(stderr).toContain('shop.delete_item');
    expect(stderr).toContain('  id = "7 \\u202e\\u200bevil"\n  force = true\n');
    expect(stdout).toContain('Lamp');
    expect(service.seen).toHaveLength(1);
  });

  it.each([
    ['a no', 'n'],
    ['the return key alone', '\r'],
    ['Ctrl-C', '\u0003'],
  ])('is not done after %s: exit code 3', async (_title, keys) => {
    const { run, service } = await shopWorld();
    const { code, stderr } = await run(DELETE, { answers: [['Run shop.delete_item', keys]] });
    expect([code, stderr]).toEqual([3, expect.stringContaining('forge: denied; nothing was sent')]);
    expect(service.seen).toEqual([]);
    expect(JSON.parse((await run('approvals list --all --json')).stdout)).toMatchObject([{ status: 'denied' }]);
  });
});

describe('a destructive call of a Forge that runs', () => {
  /** Where the question stands in what the command prints. */
  const APPROVE = /forge approvals approve (apr_\w+)\n/;

  it.each([
    ['approve', 0, 1, 'A call that still waits runs now'],
    ['deny', 3, 0, 'denied: run shop.delete_item'],
  ])('K-10 is held until a person decides elsewhere: %s', async (decision, code, calls, words) => {
    const { service, ...world } = await shopWorld();
    const { run } = world;
    await world.startServer();
    let decided: Promise<{ stdout: string }> = Promise.resolve({ stdout: '' });
    const onError = (all: string): void => {
      const id = APPROVE.exec(all)?.[1];
      if (id === undefined || isAsked) return;
      isAsked = true;
      decided = run(`approvals ${decision} ${id}`);
    };
    let isAsked = false;
    const outcome = await run(DELETE, { onError });
    expect((await decided).stdout).toContain(words);
    expect([outcome.code, service.seen.length], outcome.stderr).toEqual([code, calls]);
    expect(outcome.stderr).toMatch(/^waiting for a person: Delete one item on 127\.0\.0\.1:\d+\. Shop: /);
  });

  it('K-10 says with exit code 3 that it waits when nobody has decided in time', async () => {
    const { service, ...world } = await shopWorld(undefined, { FORGE_HOLD_SECONDS: '0' });
    const { run } = world;
    await world.startServer();
    const { code, stderr } = await run(DELETE);
    expect([code, service.seen]).toEqual([3, []]);
    expect(stderr).toContain('forge: a person has to approve this first: Delete one item');
  });

  it('withdraws its question on Ctrl-C', async () => {
    const { service, ...world } = await shopWorld();
    const { run } = world;
    await world.startServer();
    const signals = new EventEmitter();
    const onError = (all: string): void => {
      if (APPROVE.test(all)) signals.emit('SIGINT');
    };
    const { code } = await run(DELETE, { signals, onError });
    expect([code, service.seen]).toEqual([1, []]);
    const status = async () => JSON.parse((await run('approvals list --all --json')).stdout)[0]?.status;
    await expect.poll(status).toBe('expired');
  });

  it('takes back its question on the terminal when somebody approves it elsewhere, and goes on', async () => {
    const { service, ...world } = await shopWorld();
    const { run } = world;
    await world.startServer();
    const { code, stdout, stderr } = await run(DELETE, {
      answers: [
        [
          'Run shop.delete_item',
          async () => {
            const [{ id }] = JSON.parse((await run('approvals list --json')).stdout);
            await run(`approvals approve ${id}`);
            return '';
          },
        ],
      ],
    });
    expect([code, service.seen.length], stderr).toEqual([0, 1]);
    expect(stdout).toContain('Lamp');
    expect(stderr).toMatch(/apr_\w+ was decided elsewhere/);
  });
});

describe('a host that an argument names', () => {
  it('K-61 is approved before the call is, both with one --yes', async () => {
    const { run, service } = await shopWorld();
    const { code, stderr } = await run(`call shop.delete_elsewhere --set host=${service.host} --set id=7 --yes`);
    expect(code).toBe(0);
    const asked = stderr.split('\n').filter((line) => line.startsWith('approved'));
    expect(asked.map((line) => line.replace(/apr_\w+/, 'ID'))).toEqual([
      `approved ID: let shop talk to ${service.host}`,
      'approved ID: run shop.delete_elsewhere with these arguments',
    ]);
    expect(service.seen.map(({ line }) => line)).toEqual(['DELETE /items/7']);
  });

  it('K-61 is shown to the person, who may stop at either question', async () => {
    const { run, service } = await shopWorld(json({}));
    const { code, stderr } = await run(`call shop.delete_elsewhere --set host=${service.host} --set id=7`, {
      answers: [
        [`Let shop talk to ${service.host}`, 'y'],
        ['Run shop.delete_elsewhere', 'n'],
      ],
    });
    expect([code, service.seen]).toEqual([3, []]);
    expect(stderr).toContain(`host ${service.host}`);
  });
});
