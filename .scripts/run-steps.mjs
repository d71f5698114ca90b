// Runs named commands, says what it is doing and how long it took, and stops at the first that fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { root } from '../server/launch/prepare.mjs';

const running = new Set();

/** Runs a command; with `keep` its output is returned instead of shown as it comes. */
function run(command, args, keep) {
  return new Promise((resolve) => {
    const output = keep ? 'pipe' : 'inherit';
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', output, output],
      shell: process.platform === 'win32',
      // What it would save is less than what it leaves in the temp folder.
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    });
    running.add(child);
    const kept = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => kept.push(part));
    const end = (code) => {
      running.delete(child);
      resolve({ code, text: Buffer.concat(kept).toString() });
    };
    child.once('close', (code) => end(code ?? 1));
    child.once('error', () => end(1));
  });
}

async function runStep([title, command, ...args], keep = false) {
  console.log(keep ? `── ${title} …` : `\n── ${title}`);
  const started = Date.now();
  const { code, text } = await run(command, args, keep);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (keep && (code !== 0 || text.trim() !== '')) console.log(`\n── ${title}\n${text.trimEnd()}`);
  if (code !== 0) {
    console.error(`── ${title}: failed after ${seconds} s (${[command, ...args].join(' ')})`);
    for (const child of running) child.kill();
    process.exit(1);
  }
  console.log(`── ${title}: ${seconds} s`);
}

/** One after the other. Each step is [title, command, ...args]. */
export async function runSteps(steps) {
  for (const step of steps) await runStep(step);
}

/** As many at once as there are processors; for steps that do not need each other. */
export async function runSideBySide(steps) {
  const waiting = [...steps];
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runStep(step, true);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(4, availableParallelism())) }, lane));
}

/** A command of an installed package. */
export function bin(name) {
  return ['npx', '--no-install', name];
}
