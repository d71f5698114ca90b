import { existsSync } from 'node:fs';
import path from 'node:path';
import { mustRun, oneLine, removeJob, writeJob, type ServiceJob, type ServiceManager } from './service.ts';

const UNIT = 'forge.service';
const control = (...args: string[]): [string, string[]] => ['systemctl', ['--user', ...args]];

/** A user unit of systemd. */
export const systemd: ServiceManager = {
  place: ({ home }) => path.join(home, '.config', 'systemd', 'user', UNIT),
  install: async (world, job) => {
    writeJob(systemd.place(world), unitOf(job));
    await mustRun(world, ...control('daemon-reload'));
    await mustRun(world, ...control('enable', '--now', UNIT));
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
