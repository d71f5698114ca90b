import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Page, type Worker } from 'playwright';
import { expect } from 'vitest';
import { EXTENSION_ID } from '../../shared/extension-id.ts';
import { buildExtension } from '../../server/launch/build-extension.mjs';
import {
  CLOSED_SITES_FEATURE,
  chromiumArgs,
  closeSites,
  findChromium,
  seedProfile,
} from '../../server/launch/chromium.mjs';
import { accessibilityProblems } from './accessibility.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SCREENSHOTS = path.join(ROOT, 'e2e/screenshots');

export interface ExtensionOptions {
  /** The switch “Allow user scripts”; on unless a test is about it. */
  userScripts?: boolean;
  /** The sites a person has allowed; http://127.0.0.1 on any port unless a test is about it. */
  hosts?: string[];
  /** The sites a person will allow when they are asked. */
  grantable?: string[];
  /** A profile to keep, for tests that start a browser twice. */
  profile?: string;
  /** The origins that are closed to extensions, as in a browser that Forge starts. */
  closed?: string[];
  /** More of what Chromium is started with. */
  args?: string[];
}

export interface ExtensionBrowser {
  context: BrowserContext;
  profile: string;
  /** The extension's worker as it is now; another one after it was killed. */
  worker(): Promise<Worker>;
  /** Points the extension at a server of the test's own. */
  useServer(port: number): Promise<void>;
  /** Opens one of the extension's own pages in a tab. */
  openPage(name: string): Promise<Page>;
  /** Resolves with the time at which it was killed, as performance.now() tells it. */
  killWorker(): Promise<number>;
  close(): Promise<void>;
}

/** Takes a page's picture in both colour schemes, for people to look at, has axe look at ours, and says whether it fits its width. */
export async function photographPage(
  page: Page,
  name: string,
  size: { width: number; height: number },
): Promise<boolean> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.setViewportSize(size);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${colorScheme}.png`) });
    if (!page.url().startsWith(`chrome-extension://${EXTENSION_ID}/`)) continue;
    expect([name, colorScheme, await accessibilityProblems(page)]).toEqual([name, colorScheme, []]);
  }
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}

/** Starts a Chromium with the built extension. The caller closes it. */
export async function startExtensionBrowser(options: ExtensionOptions = {}): Promise<ExtensionBrowser> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error('no Chromium found; npm test installs one');
  const profile = options.profile ?? mkdtempSync(path.join(os.tmpdir(), 'forge-profile-'));
  const { userScripts = true, hosts = ['http://127.0.0.1/*'], grantable = hosts } = options;
  seedProfile(profile, EXTENSION_ID, { userScripts, hosts, grantable });
  if (options.closed !== undefined) closeSites(profile, options.closed);
  const folder = await buildExtension({ anyPort: true });
  const context = await chromium.launchPersistentContext(profile, {
    headless: true,
    executablePath,
    args: [
      ...chromiumArgs(),
      ...(options.closed === undefined ? [] : [CLOSED_SITES_FEATURE]),
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      ...(options.args ?? []),
    ],
  });
  const worker = async (): Promise<Worker> =>
    context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const openPage = async (name: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`chrome-extension://${EXTENSION_ID}/${name}`);
    return page;
  };
  return {
    context,
    profile,
    worker,
    openPage,
    async useServer(port) {
      await (await worker()).evaluate(`chrome.storage.local.set({ server: { host: '127.0.0.1', port: ${port} } })`);
    },
    async killWorker() {
      // A document of the extension's that runs nothing, so that nothing but the worker itself starts again.
      const page = await openPage('icon/16.png');
      const session = await context.newCDPSession(page);
      await session.send('ServiceWorker.enable');
      const killedAt = performance.now();
      await session.send('ServiceWorker.stopAllWorkers');
      // Whoever measures how long it takes to come back does not wait for a page to close.
      page.close().catch(() => undefined);
      return killedAt;
    },
    async close() {
      await context.close();
      if (options.profile === undefined) rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
