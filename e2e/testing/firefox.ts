import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { GECKO_ID, TICKET_PAGE } from '../../shared/extension-id.ts';
import { buildExtension } from '../../server/launch/build-extension.mjs';
import { openBidi, type Bidi } from './bidi.ts';
import { findFirefox } from './find-firefox.mjs';

/** Firefox gives an extension's pages an origin by chance, unless the profile names one. */
const UUID = '8e0b2f4a-5c1d-4f6e-9a3b-7d2c1e0f4a5b';

/** Firefox with the extension, as far as a test needs it. */
export interface FirefoxBrowser {
  bidi: Bidi;
  /** The origin of the extension's own pages. */
  origin: string;
  /** Its tabs and windows. */
  contexts(): Promise<{ context: string; url: string }[]>;
  /** Points the extension at a server of the test's own. */
  useServer(port: number): Promise<void>;
  close(): Promise<void>;
}

/** What a person would have clicked: the extension may run user scripts, and use http://127.0.0.1 on any port. */
function seedProfile(profile: string): void {
  const prefs: Record<string, unknown> = {
    'extensions.webextensions.uuids': JSON.stringify({ [GECKO_ID]: UUID }),
    'browser.startup.page': 0,
    'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false,
  };
  const lines = Object.entries(prefs).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(path.join(profile, 'user.js'), lines.join(''));
  const granted = { permissions: ['userScripts'], origins: ['http://127.0.0.1/*'], data_collection: [] };
  writeFileSync(path.join(profile, 'extension-preferences.json'), JSON.stringify({ [GECKO_ID]: granted }));
}

/** Waits until Firefox says where it listens. */
function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Firefox ended with ${String(code)}:\n${said}`)));
  });
}

async function openWithExtension(child: ChildProcess, folder: string): Promise<Bidi> {
  const bidi = await openBidi(await listeningAt(child));
  await bidi.send('webExtension.install', { extensionData: { type: 'path', path: folder } });
  return bidi;
}

/** Starts a headless Firefox with a profile of its own and the built extension. The caller closes it. */
export async function startFirefox(): Promise<FirefoxBrowser> {
  const executable = findFirefox();
  if (executable === null) throw new Error('no Firefox found that is new enough');
  const folder = await buildExtension({ anyPort: true, browser: 'firefox' });
  const profile = mkdtempSync(path.join(os.tmpdir(), 'forge-firefox-'));
  seedProfile(profile);
  // The last one lets a test open the extension's own pages.
  const remote = ['--remote-debugging-port=0', '--remote-allow-system-access'];
  const args = ['--headless', '--no-remote', '--profile', profile, ...remote];
  const child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const bidi = await openWithExtension(child, folder).catch((error: unknown) => {
    kill();
    throw error;
  });
  const origin = `moz-extension://${UUID}`;
  const contexts = async (): Promise<{ context: string; url: string }[]> => {
    const { contexts: tops } = await bidi.send('browsingContext.getTree', { maxDepth: 0 });
    return tops as { context: string; url: string }[]; // as the protocol has it
  };
  return {
    bidi,
    origin,
    contexts,
    async useServer(port) {
      const [first] = await contexts();
      // A ticket that no server gave out only leads to the page: the browser then asks for a person's yes, as any other does.
      const url = `${origin}/${TICKET_PAGE}#port=${port}&ticket=not-a-ticket-of-any-server`;
      await bidi.send('browsingContext.navigate', { context: first?.context, url, wait: 'complete' });
    },
    async close() {
      await bidi.send('browser.close').catch(kill);
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
