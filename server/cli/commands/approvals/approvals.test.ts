import { describe, expect, it } from 'vitest';
import { shopWorld } from '../../testing/shop-world.ts';

/** A call waits for a yes; answers its approval's id. */
async function waitingWorld(call = 'call shop.delete_item --set id=7') {
  const world = await shopWorld();
  const { stderr } = await world.run(call);
  return { ...world, call, id: /apr_\w+/.exec(stderr)?.[0] ?? '' };
}

describe('forge approvals', () => {
  it('lists what waits', async () => {
    const { run, id } = await waitingWorld();
    const { stdout } = await run('approvals');
    expect(stdout).toMatch(
      new RegExp(
        `^ID +ASKED +WHO +WHAT +ARGUMENTS\\n${id} +[\\d:]+ +forge-cli +shop\\.delete_item +\\{"id":"7"\\}\\n$`,
      ),
    );
    expect(JSON.parse((await run('approvals --json')).stdout)).toMatchObject([{ id, status: 'pending' }]);
  });

  it('shows the host where the question is about one, and decided ones with --all', async () => {
    const { run, id } = await waitingWorld('call shop.delete_elsewhere --set host=nac.example --set id=7');
    expect((await run('approvals')).stdout).toContain('shop.delete_elsewhere → nac.example');
    expect(await run(`approvals deny ${id}`)).toMatchObject({
      code: 0,
      stdout: 'denied: let shop talk to nac.example\n',
    });
    expect((await run('approvals')).stdout).toBe('Nothing waits for an approval.\n');
    expect((await run('approvals list --all')).stdout).toMatch(new RegExp(`^${id} .* denied `, 'm'));
  });

  it('approves one call', async () => {
    const { run, id, call } = await waitingWorld();
    const { code, stdout } = await run(`approvals approve ${id}`);
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ approved: run shop.delete_item')]);
    expect((await run(call)).code).toBe(0);
    expect((await run(call)).code).toBe(3);
    const again = await run(`approvals deny ${id}`);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has been decided already')]);
  });

  it.each([
    ['approvals approve apr_0000000000000000', 'There is no approval apr_0000000000000000'],
    ['approvals approve apr_0000000000000000 --for-tool --max-uses 1 --when id=7', 'waits for a decision'],
    ['approvals revoke sta_0000000000000000', 'There is no standing approval'],
    ['approvals deny ../calls', '"../calls" cannot be the id of an approval'],
  ])('%s: exit code 1', async (argv, message) => {
    const { run } = await shopWorld();
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it.each([
    ['--max-uses 2', 'limits without --for-tool'],
    ['--for-tool --max-uses none', '--max-uses is "none"'],
    ['--for-tool --until someday', '--until is "someday"'],
    ['--for-tool', 'no limit'],
    ['--for-tool --when id=7', 'no limit'],
    ['--for-tool --max-uses 1 --when id', '--when needs a name and a value'],
  ])('approve %s: exit code 2, and nothing is approved', async (flags, message) => {
    const { run, id } = await waitingWorld();
    const { code, stderr } = await run(`approvals approve ${id} ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect((await run('approvals')).stdout).toContain(id);
  });
});

describe('standing approvals', () => {
  it('cover later calls within their limits, until they are taken back', async () => {
    const { run, id, service } = await waitingWorld('call shop.delete_item --set id=7 --set force=true');
    const flags = '--for-tool --max-uses 2 --until 2199-12-31 --when force=true --when id=7 --when id=8';
    expect((await run(`approvals approve ${id} ${flags}`)).code).toBe(0);
    const [standing] = JSON.parse((await run('approvals standing --json')).stdout) as Record<string, unknown>[];
    expect(standing).toMatchObject({
      tool_id: 'shop.delete_item',
      conditions: { force: true, id: ['7', '8'] },
      remaining: 2,
      until: new Date('2199-12-31T23:59:59.999').toISOString(),
    });

    const codes: number[] = [];
    // The first uses up the yes to the call that was asked about.
    for (const args of ['id=7 --set force=true', 'id=8 --set force=true', 'id=9 --set force=true', 'id=8'])
      codes.push((await run(`call shop.delete_item --set ${args}`)).code);
    expect(codes).toEqual([0, 0, 3, 3]);
    expect(service.seen).toHaveLength(2);
    expect((await run('approvals standing')).stdout).toMatch(
      /^sta_\w+ +shop\.delete_item +1 of 2 +2199-12-31 23:59:59 +force=true id=\["7","8"\]$/m,
    );

    const standingId = String(standing?.['id']);
    expect(await run(`approvals revoke ${standingId}`)).toMatchObject({
      code: 0,
      stdout: `${standingId} is taken back; calls it covered are asked about again\n`,
    });
    expect((await run('call shop.delete_item --set id=8 --set force=true')).code).toBe(3);
    expect((await run('approvals standing')).stdout).toContain('There are no standing approvals');
  });

  it('can be given before anything asks', async () => {
    const { run } = await shopWorld();
    expect((await run('approvals allow shop.delete_item --max-uses 1 --when id=7')).code).toBe(0);
    expect((await run('approvals standing')).stdout).toMatch(/shop\.delete_item +1 of 1 +revoked +id="7"/);
    const codes: number[] = [];
    for (const id of ['8', '7', '7']) codes.push((await run(`call shop.delete_item --set id=${id}`)).code);
    expect(codes).toEqual([3, 0, 3]);
    for (const [argv, code, message] of [
      ['approvals allow shop.delete_item', 2, 'no limit'],
      ['approvals allow shop.nothing --max-uses 1', 2, 'There is no tool'],
      ['approvals allow shop.delete_item --until 2001-01-01', 1, 'has already passed'],
    ] as const) {
      const answer = await run(argv);
      expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(message)]);
    }
  });

  it('show when they are used up', async () => {
    const { run, id, call } = await waitingWorld();
    await run(`approvals approve ${id} --for-tool --max-uses 1`);
    await run(call);
    await run(call);
    expect((await run('approvals standing')).stdout).toMatch(/over \(used 1\) +revoked +always$/m);
  });
});
