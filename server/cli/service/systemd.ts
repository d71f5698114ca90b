import { existsSync } from 'node:fs';
import path from 'node:path';
import { mustRun, oneLine, removeJob, writeJob, type ServiceJob, type ServiceManager } from './service.ts';

const UNIT = 'forge.service';
const control = (...args: string[]): [string, string[]] => ['systemctl', ['--user', ...args]];

/** A user unit of systemd. */
export const systemd: ServiceManager = {
  place: ({ home }) => path.join(home, '.config', 'systemd', 'user', UNIT),
  install: async (world, job) => {
    const place = systemd.place(world);
    writeJob(place, unitOf(job));
    const start = control('enable', '--now', UNIT);
    // A container has no systemd, and neither has somebody who became this user with su or sudo.
    const hint = `${place} is written, but systemd does not answer here. Once it runs for you (log in to a desktop or over ssh): ${start.flat().join(' ')}`;
    await mustRun(world, ...control('daemon-reload'), hint);
    await mustRun(world, ...start, hint);
  },
  remove: async (world) => {
    if (!existsSync(systemd.place(world))) return;
    await mustRun(world, ...control('disable', '--now', UNIT));
    removeJob(systemd.place(world));
    await mustRun(world, ...control('daemon-reload'));
  },
  status: async (world) => {
    if (!existsSync(systemd.place(world))) return 'not installed';
    const { output } = await world.run(...control('is-active', UNIT));
    return `installed, ${output.trim() || 'unknown'}`;
  },
};

function unitOf({ argv, environment }: ServiceJob): string {
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`);
  return [
    '[Unit]',
    'Description=Forge',
    '',
    '[Service]',
    // Only in commands does a dollar sign stand for a variable.
    `ExecStart=${argv.map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}`,
    ...variables,
    'Restart=on-failure',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

function quote(text: string): string {
  return `"${oneLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}
