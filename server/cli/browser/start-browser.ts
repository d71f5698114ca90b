import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ForgeError } from '../../../shared/errors.ts';
import { ownPageOrigins } from '../../../shared/own-origins.ts';
import { EXTENSION_ID, TICKET_PAGE } from '../../../shared/extension-id.ts';
import { CLOSED_SITES_FEATURE, chromiumArgs, closeSites, findChromium, seedProfile } from '../../launch/chromium.mjs';
import type { Forge } from '../../main.ts';
import { extensionFolder } from './extension-folder.ts';
import { writeFileDurably } from '../../store/durable-files.ts';

export interface StartedBrowser {
  /** Settles when the browser has ended, whoever ended it. */
  ended: Promise<void>;
  close(): Promise<void>;
}

interface BrowserPlace {
  /** Whether there is a screen to show it on. */
  hasScreen: boolean;
}

/**
 * Starts a Chromium with a profile of its own, the extension loaded and paired, and Forge's page open. Sites on this computer are
 * allowed from the start, except Forge itself, which the browser closes to extensions; every other one is asked for, as in any browser.
 */
export async function startBrowser(forge: Forge, { hasScreen }: BrowserPlace): Promise<StartedBrowser> {
  const executable = await findChromium();
  if (executable === null) {
    throw new ForgeError('not_supported', 'there is no Chromium to start', {
      hint: 'Install one and set FORGE_CHROMIUM to its path.',
    });
  }
  const { port } = new URL(forge.url);
  const folder = extensionFolder(forge, 'chrome-mv3');
  const profile = path.join(forge.dataDir.root, 'browser');
  const hosts = ['http://127.0.0.1/*', 'http://localhost/*'];
  seedProfile(profile, EXTENSION_ID, { userScripts: true, hosts, grantable: hosts });
  closeSites(profile, ownPageOrigins(forge.services.ownPorts()));
  const ticket = forge.services.bridge.pairings.issueTicket();
  const child = spawn(
    executable,
    [
      ...chromiumArgs(),
      CLOSED_SITES_FEATURE,
      '--no-default-browser-check',
      // Without a size Chromium chooses a small one where it has no screen.
      '--window-size=1440,900',
      `--user-data-dir=${profile}`,
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      // Without a screen Chromium opens one page only, and nobody would see the other.
      ...(hasScreen ? [pathToFileURL(writeLoginPage(profile, forge.loginLink())).href] : ['--headless=new']),
      `chrome-extension://${EXTENSION_ID}/${TICKET_PAGE}#port=${port}&ticket=${ticket}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', (cause) => {
      reject(new ForgeError('not_supported', `${executable} could not be started: ${cause.message}`, { cause }));
    });
  });
  return {
    ended,
    close: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Everybody on the computer can read how a program was started, so the login link goes by way of a private file. */
function writeLoginPage(profile: string, link: string): string {
  const file = path.join(profile, 'forge.html');
  const page = `<!doctype html><meta charset="utf-8"><title>Forge</title><meta http-equiv="refresh" content="0;url=${link}">`;
  writeFileDurably(file, Buffer.from(page), { mode: 0o600 });
  return file;
}
