import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { isRecord } from '../../../shared/json.ts';
import { isClone, PROJECT_ROOT } from '../../config.ts';
import { scrubEnvironment, type Environment } from '../../runners/shell/environment.ts';
import { posixGroup, windowsTree, type ProcessGroup } from '../../runners/shell/process-group.ts';

/** How far the extension is. */
export type ExtensionStep =
  | { state: 'installing' }
  | { state: 'building' }
  | { state: 'ready' }
  | { state: 'failed'; message: string };

/** What makes the extension in the background. */
export interface ExtensionWork {
  /** Ends it and everything it has started. */
  close(): Promise<void>;
}

export type PrepareExtension = (env: Environment, report: (step: ExtensionStep) => void) => ExtensionWork;

const GRACE_MS = 5000;
const LOOK_EVERY_MS = 50;
const NOTHING: ExtensionWork = { close: () => Promise.resolve() };
/** What npm reads, besides what every program may know; nothing of it is a credential. */
const FOR_NPM = /^(?:npm_config_(?!.*(?:auth|token|pass|key))\w+|(?:https?|no)_proxy|node_extra_ca_certs)$/i;

/** In a clone a process of its own installs what is missing and builds; an installed package brings the extension along. */
export const prepareExtension: PrepareExtension = (env, report) => {
  if (isClone()) return build(env, report);
  const isThere = existsSync(path.join(PROJECT_ROOT, 'dist', 'extension', 'chrome-mv3', 'manifest.json'));
  report(
    isThere ? { state: 'ready' } : { state: 'failed', message: 'this installation has none; install Forge again' },
  );
  return NOTHING;
};

function build(env: Environment, report: (step: ExtensionStep) => void): ExtensionWork {
  const forNpm = Object.entries(env).filter(([name, value]) => value !== undefined && FOR_NPM.test(name));
  const isWindows = process.platform === 'win32';
  const script = path.join(PROJECT_ROOT, 'server', 'launch', 'extension-in-background.mjs');
  const child = spawn(process.execPath, [script], {
    env: { ...scrubEnvironment(env, process.platform), ...Object.fromEntries(forNpm) },
    // Its standard input ends with this process, however it ends.
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: !isWindows,
    windowsHide: true,
  });
  let isClosing = false;
  let last: ExtensionStep | null = null;
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = readStep(line) ?? last;
    if (last !== null && !isClosing) report(last);
  });
  const ended = once(child, 'close').then(
    () => {
      const isOver = last?.state === 'ready' || last?.state === 'failed';
      if (!isOver && !isClosing) report({ state: 'failed', message: 'its build ended early' });
    },
    (error: unknown) => report({ state: 'failed', message: error instanceof Error ? error.message : String(error) }),
  );
  return {
    close: async () => {
      isClosing = true;
      const { pid, exitCode, signalCode } = child;
      if (pid === undefined || exitCode !== null || signalCode !== null) return;
      await end(isWindows ? windowsTree(pid, env['SystemRoot'] ?? '') : posixGroup(pid));
      await ended;
    },
  };
}

/** npm takes back what it has half installed, and gets the time for it. */
async function end(group: ProcessGroup): Promise<void> {
  group.signal('SIGTERM');
  for (let waited = 0; waited < GRACE_MS && group.isAlive(); waited += LOOK_EVERY_MS) await wait(LOOK_EVERY_MS);
  if (group.isAlive()) group.signal('SIGKILL');
}

function readStep(line: string): ExtensionStep | null {
  const step: unknown = JSON.parse(line);
  if (!isRecord(step)) return null;
  const { state, message } = step;
  if (state === 'failed') return { state, message: String(message) };
  return state === 'installing' || state === 'building' || state === 'ready' ? { state } : null;
}
