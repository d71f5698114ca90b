import path from 'node:path';
import { ForgeError } from '../../../shared/errors.ts';
import {
  mustRun,
  oneLine,
  removeJob,
  writeJob,
  type ServiceJob,
  type ServiceManager,
  type ServiceWorld,
} from './service.ts';

const TASK = 'Forge';

/** A task of Windows that runs at login. Tasks have no variables of their own, so a small script sets them. */
export const taskScheduler: ServiceManager = {
  place: ({ home }) => path.join(home, '.forge', 'forge-at-login.cmd'),
  install: async (world, job) => {
    const file = taskScheduler.place(world);
    writeJob(file, scriptOf(job));
    await mustRun(world, 'schtasks', [
      '/Create',
      '/F',
      '/SC',
      'ONLOGON',
      '/RL',
      'LIMITED',
      '/TN',
      TASK,
      '/TR',
      `"${file}"`,
    ]);
    await mustRun(world, 'schtasks', ['/Run', '/TN', TASK]);
  },
  remove: async (world) => {
    if (!(await isInstalled(world))) return;
    await mustRun(world, 'schtasks', ['/End', '/TN', TASK]);
    await mustRun(world, 'schtasks', ['/Delete', '/F', '/TN', TASK]);
    removeJob(taskScheduler.place(world));
  },
  status: async (world) => ((await isInstalled(world)) ? 'installed' : 'not installed'),
};

async function isInstalled({ run }: ServiceWorld): Promise<boolean> {
  return (await run('schtasks', ['/Query', '/TN', TASK])).code === 0;
}

function scriptOf({ argv, environment }: ServiceJob): string {
  const variables = Object.entries(environment).map(([name, value]) => `set "${name}=${word(value)}"`);
  return ['@echo off', ...variables, argv.map((each) => `"${word(each)}"`).join(' '), ''].join('\r\n');
}

/** A quotation mark would end the word, and no script can write one inside. */
function word(text: string): string {
  if (!text.includes('"')) return oneLine(text).replaceAll('%', '%%');
  throw new ForgeError('invalid_config', `${JSON.stringify(text.slice(0, 60))} cannot be part of a service`, {
    hint: 'Set the variable to a value without quotation marks and try again.',
  });
}
