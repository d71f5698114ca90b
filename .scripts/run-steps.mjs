// Runs named commands one after another, says what it is doing and how long it took, and stops at the first that fails.
import { spawn } from 'node:child_process';
import { root } from '../server/launch/prepare.mjs';

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(1));
  });
}

/** Each step is [title, command, ...args]. */
export async function runSteps(steps) {
  for (const [title, command, ...args] of steps) {
    console.log(`\n── ${title}`);
    const started = Date.now();
    const code = await run(command, args);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    if (code !== 0) {
      console.error(`── ${title}: failed after ${seconds} s (${[command, ...args].join(' ')})`);
      process.exit(1);
    }
    console.log(`── ${title}: ${seconds} s`);
  }
}

/** A command of an installed package. */
export function bin(name) {
  return ['npx', '--no-install', name];
}
