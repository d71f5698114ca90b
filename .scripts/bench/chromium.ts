import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildExtension } from '../../server/launch/build-extension.mjs';
import { chromiumArgs, findChromium, seedProfile } from '../../server/launch/chromium.mjs';
import { EXTENSION_ID } from '../../shared/extension-id.ts';
import { ask, endWithBench, type Forge } from './processes.ts';

export interface Chromium {
  /** The address of its debugging port. */
  debugging: string;
  stop: () => Promise<void>;
}

/** A Chromium that nothing drives but the extension in it, paired with Forge; its debugging port is for what the bench does beside. */
export async function startChromium(forge: Forge): Promise<Chromium> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'forge-bench-profile-'));
  const folder = await buildExtension({ anyPort: true });
  const executable = await findChromium();
  if (executable === null) throw new Error('there is no Chromium');
  const hosts = ['http://127.0.0.1/*'];
  seedProfile(profile, EXTENSION_ID, { userScripts: true, hosts, grantable: hosts });
  const child = spawn(
    executable,
    [
      ...chromiumArgs(),
      '--headless=new',
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      'about:blank',
    ],
    { stdio: 'ignore' },
  );
  endWithBench(child);
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    // The browser's helpers write a moment longer than it lives.
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  const file = path.join(profile, 'DevToolsActivePort');
  while (!existsSync(file)) await pause(50);
  await pause(500);
  const debugging = `http://127.0.0.1:${readFileSync(file, 'utf8').split('\n')[0] ?? ''}`;
  try {
    await pair(forge, debugging);
  } catch (error) {
    await stop();
    throw error;
  }
  return { debugging, stop };
}

/** Opens a tab, and returns where it is debugged. */
export async function openTab(debugging: string, url: string): Promise<string> {
  const response = await fetch(`${debugging}/json/new?${url}`, { method: 'PUT' });
  return ((await response.json()) as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl;
}

async function pair(forge: Forge, debugging: string): Promise<void> {
  const ticketPage = `chrome-extension://${EXTENSION_ID}/pair.html#port=${new URL(forge.url).port}&ticket=${'x'.repeat(43)}`;
  for (let tries = 0; ; tries += 1) {
    // The extension may not be there yet when its page is asked for.
    if (tries % 50 === 0) await openTab(debugging, encodeURIComponent(ticketPage));
    if (tries > 600) throw new Error('the browser did not ask to be paired');
    const { pending, browsers } = (await ask(forge, 'GET', '/api/browsers')) as {
      pending: { id: string }[];
      browsers: { connected: boolean }[];
    };
    if (browsers.some(({ connected }) => connected)) return;
    for (const { id } of pending) await ask(forge, 'POST', `/api/browsers/${id}/accept`, {});
    await pause(100);
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
