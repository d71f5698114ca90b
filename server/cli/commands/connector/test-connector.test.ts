import { describe, expect, it } from 'vitest';
import { manifest } from '../../../testing/forge.ts';
import { json } from '../../../testing/upstream.ts';
import { shopWorld, TOKEN } from '../../testing/shop-world.ts';

describe('forge connector test', () => {
  it('C-101 C-106 runs the connector’s own test and shows how far it got', async () => {
    const { run, service } = await shopWorld(json({ name: 'Ana' }));
    const { code, stdout } = await run('connector test shop');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^( {2}✓ \w+ +<?[\d.]+ m?s\n)+/);
    expect(stdout).toContain(`  ${service.url}/me\n✓ Hello Ana\n`);
    expect(stdout).toContain('The service answers the same without your credentials');
    expect(service.seen[0]).toMatchObject({ line: 'GET /me', headers: { authorization: `Bearer ${TOKEN}` } });
  });

  it('C-105 says why it failed and what to do: exit code 1', async () => {
    const { run } = await shopWorld(json({ message: 'bad token' }, 401));
    const { code, stdout } = await run('connector test shop');
    expect(code).toBe(1);
    expect(stdout).toMatch(/ {2}✗ result +<?[\d.]+ m?s\n/);
    expect(stdout).toContain(
      '✗ HTTP 401 Unauthorized: {"message":"bad token"}\n  Check the credentials in the settings.\n',
    );
    const asJson = await run('connector test shop --json');
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([1, expect.objectContaining({ ok: false, status: 401 })]);
  });

  it('is green and red on a terminal', async () => {
    const good = await shopWorld(json({ name: 'Ana' }));
    expect((await good.run('connector test shop', { answers: [] })).stdout).toContain('\u001b[32mHello Ana\u001b[0m');
    const bad = await shopWorld(json({}, 500));
    expect((await bad.run('connector test shop', { answers: [] })).stdout).toContain('\u001b[31mHTTP 500');
  });

  it('says that a connector has no test, or that there is no such connector', async () => {
    const { run, write } = await shopWorld();
    await run(`connector install ${write('demo.yaml', manifest())}`);
    const without = await run('connector test demo');
    expect([without.code, without.stdout]).toEqual([1, expect.stringContaining('✗ Demo has no test block')]);
    const unknown = await run('connector test nope');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('forge connector list')]);
  });

  it('C-107 tests the instance that is named, else the first', async () => {
    const { run, write, service } = await shopWorld(json({}));
    const yaml = `id: rows
name: Rows
version: "1.0.0"
description: A connector for tests that has several instances.
settings:
  instances:
    type: instances
    label: Servers
    fields:
      name: { type: string, label: Name, required: true }
      base_url: { type: string, label: Base URL, required: true }
test:
  request: { method: GET, url: '{base_url}/me' }
tools:
  get: { protocol: http, description: Get it., request: { method: GET, url: '{base_url}/x' } }
`;
    await run(`connector install ${write('rows.yaml', yaml)}`);
    const row = (name: string) => `--set instances.${name}.base_url=${service.url}/${name}`;
    expect((await run(`connector settings rows ${row('one')} ${row('two')}`)).code).toBe(0);
    await run('connector test rows');
    await run('connector test rows --instance two');
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /one/me', 'GET /two/me']);
    const unknown = await run('connector test rows --instance three');
    expect([unknown.code, unknown.stdout]).toEqual([2, expect.stringContaining('three')]);
  });
});
