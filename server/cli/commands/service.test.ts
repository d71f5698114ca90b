import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cliWorld } from '../testing/cli-world.ts';

it.runIf(process.platform === 'linux')('forge service install leaves out of the path what npx has added', async () => {
  const world = cliWorld();
  chmodSync(world.write('bin/systemctl', '#!/bin/sh\nexit 0\n'), 0o755);
  const bin = path.join(world.root, 'bin');
  const added = [
    `${world.root}/node_modules/.bin`,
    '/tmp/node_modules/.bin',
    '/usr/lib/node_modules/npm/node_modules/x/bin',
  ];
  const env = { HOME: world.root, PATH: [...added, bin, '/usr/bin'].join(':') };
  const { code, stdout } = await world.run('service install', { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('Forge starts at every login')]);
  const unit = readFileSync(path.join(world.root, '.config/systemd/user/forge.service'), 'utf8');
  expect(unit).toContain(`Environment="PATH=${bin}:/usr/bin"\n`);
});
