import { existsSync } from 'node:fs';
import path from 'node:path';
import { mustRun, oneLine, removeJob, writeJob, type ServiceJob, type ServiceManager } from './service.ts';

const LABEL = 'local.forge';

/** An agent of macOS' launchd. */
export const launchd: ServiceManager = {
  place: ({ home }) => path.join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`),
  install: async (world, job) => {
    const file = launchd.place(world);
    // One that is loaded already would keep its old job.
    if (existsSync(file)) await world.run('launchctl', ['bootout', `gui/${world.uid}/${LABEL}`]);
    writeJob(file, plistOf(job));
    await mustRun(world, 'launchctl', ['bootstrap', `gui/${world.uid}`, file]);
  },
  remove: async (world) => {
    if (!existsSync(launchd.place(world))) return;
    // It fails where the agent is not loaded, and then nothing is left to do.
    await world.run('launchctl', ['bootout', `gui/${world.uid}/${LABEL}`]);
    removeJob(launchd.place(world));
  },
  status: async (world) => {
    if (!existsSync(launchd.place(world))) return 'not installed';
    const { code, output } = await world.run('launchctl', ['print', `gui/${world.uid}/${LABEL}`]);
    const state = /^\s*state = (.+)$/m.exec(output)?.[1] ?? 'loaded';
    return code === 0 ? `installed, ${state}` : 'installed, not loaded';
  },
};

function plistOf({ argv, environment }: ServiceJob): string {
  const words = argv.map((word) => `    <string>${escape(word)}</string>`);
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${escape(name)}</key><string>${escape(value)}</string>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<plist version="1.0"><dict>',
    `  <key>Label</key><string>${LABEL}</string>`,
    '  <key>ProgramArguments</key><array>',
    ...words,
    '  </array>',
    '  <key>EnvironmentVariables</key><dict>',
    ...variables,
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '</dict></plist>',
    '',
  ].join('\n');
}

function escape(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
