import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manifest } from '../../testing/forge.ts';
import { cliWorld } from '../testing/cli-world.ts';

describe('forge marketplace', () => {
  it('W-20 lists what the registry offers, with what is installed', async () => {
    const world = cliWorld();
    world.offer(manifest('', 'one', '1.0.0'), manifest('', 'two', '1.0.0'), manifest('', 'three', '1.0.0'));
    await world.run('connector install one');
    await world.run('connector install two');
    world.offer(manifest('', 'one', '1.1.0'), manifest('', 'two', '1.0.0'), manifest('', 'three', '1.0.0'));
    const { stdout } = await world.run('marketplace');
    expect(stdout).toMatch(/^one +1\.1\.0 +1\.0\.0 \(update\) +A connector/m);
    expect(stdout).toMatch(/^two +1\.0\.0 +1\.0\.0 +A connector/m);
    expect(stdout).toMatch(/^three +1\.0\.0 +A connector/m);
    expect((await world.run('marketplace THREE')).stdout.split('\n')).toHaveLength(3);
    expect(JSON.parse((await world.run('marketplace one --json')).stdout)).toMatchObject({
      connectors: [{ id: 'one', update_available: true }],
    });
  });

  it('C-122 reads the registry of a running server again when asked to', async () => {
    const world = cliWorld();
    await world.startServer();
    expect((await world.run('marketplace')).stdout).toContain('The registry has no connectors.');
    world.offer(manifest('', 'fresh'));
    expect((await world.run('marketplace')).stdout).not.toContain('fresh');
    expect((await world.run('marketplace --refresh')).stdout).toContain('fresh');
  });

  it('warns when the registry is down, and shows the last list', async () => {
    const world = cliWorld();
    world.offer(manifest('', 'kept'));
    await world.run('marketplace');
    rmSync(world.registry, { recursive: true });
    const { code, stdout, stderr } = await world.run('marketplace');
    expect([code, stdout]).toEqual([0, expect.stringContaining('kept')]);
    expect(stderr).toMatch(/^forge: warning: the registry folder .* does not exist; this is the list of \d{4}/);
  });
});

describe('forge tools', () => {
  it('lists and searches tools, and marks those that destroy', async () => {
    const world = cliWorld();
    const extra =
      "  delete_item: { protocol: http, destructive: true, description: Delete one., request: { method: DELETE, url: '{base_url}/x' } }\n";
    await world.run(`connector install ${world.write('demo.yaml', manifest(extra))}`);
    const { stdout } = await world.run('tools');
    expect(stdout).toMatch(/^demo\.get_item +demo +http +on +only reads +Get one item\.$/m);
    expect(stdout).toMatch(/^demo\.delete_item +demo +http +ask +! destructive +Delete one\.$/m);
    expect((await world.runArgs(['tools', 'one delete'])).stdout).not.toContain('get_item');
    expect((await world.run('tools nothing')).stdout).toBe('No tool matches.\n');
    const json = JSON.parse((await world.run('tools item --json')).stdout) as unknown[];
    expect(json).toHaveLength(2);
    expect(json[0]).toMatchObject({ id: 'demo.get_item', input_schema: { type: 'object' } });
  });
});
