import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startExtensionBrowser, type ExtensionBrowser, type ExtensionOptions } from './extension-browser.ts';
import { startForgeProcess, type ForgeProcess } from './forge-process.ts';
import { startSite, type Site } from './site.ts';

export interface ToolAnswer {
  ok: boolean;
  result?: unknown;
  error?: { code: string; message: string; hint: string };
  handle?: string;
}

/** The built server, a real browser with the built extension, paired, and a site with pages of every kind. */
export interface BrowserWorld<B = ExtensionBrowser> {
  forge: ForgeProcess;
  browser: B;
  site: Site;
  dataDir: string;
  /** Installs a manifest and points its base_url at the site. */
  install(id: string, yaml: string): Promise<void>;
  call(toolId: string, args?: Record<string, unknown>, more?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Starts the server again on the same port and data dir, after it has ended or was killed. */
  restartForge(signal: NodeJS.Signals, env?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** What every browser with the extension can do for a world. */
type AnyBrowser = Pick<ExtensionBrowser, 'useServer' | 'close'>;

const PAIRING_MS = 60_000;

/** Pairs the way a person does, with the page's part done over HTTP. */
export async function pairBrowser(forge: ForgeProcess, browser: AnyBrowser): Promise<void> {
  const look = async () =>
    (await (await forge.call('GET', '/api/browsers')).json()) as {
      pending: { id: string }[];
      browsers: { connected: boolean }[];
    };
  const connected = ({ browsers }: Awaited<ReturnType<typeof look>>): number =>
    browsers.filter((one) => one.connected).length;
  const before = connected(await look());
  await browser.useServer(Number(new URL(forge.url).port));
  const until = Date.now() + PAIRING_MS;
  while (Date.now() < until) {
    const now = await look();
    if (connected(now) > before) return;
    for (const { id } of now.pending) await forge.call('POST', `/api/browsers/${id}/accept`, {});
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the browser was not paired in time');
}

export function startBrowserWorld(options: ExtensionOptions = {}): Promise<BrowserWorld> {
  return startWorldWith(() => startExtensionBrowser(options));
}

/** The same with a browser of the test's choice. */
export async function startWorldWith<B extends AnyBrowser>(startBrowser: () => Promise<B>): Promise<BrowserWorld<B>> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'forge-e2e-'));
  const ends: (() => void)[] = [];
  const start = (port: string, env: Record<string, string> = {}) =>
    startForgeProcess(dataDir, { ...env, FORGE_PORT: port }, (end) => ends.push(end));
  const [site, browser] = await Promise.all([startSite(), startBrowser()]);
  const world: BrowserWorld<B> = {
    forge: await start('0'),
    browser,
    site,
    dataDir,
    async install(id, yaml) {
      const installed = await world.forge.call('POST', '/api/connectors/install-local', { yaml });
      if (!installed.ok) throw new Error(await installed.text());
      await world.forge.call('PUT', `/api/connectors/${id}/settings`, { values: { base_url: site.origin } });
    },
    async call(toolId, args = {}, more = {}) {
      const response = await world.forge.call('POST', `/api/tools/${toolId}/call`, { args, ...more });
      return (await response.json()) as ToolAnswer;
    },
    async restartForge(signal, env) {
      world.forge.child.kill(signal);
      await world.forge.exited;
      world.forge = await start(new URL(world.forge.url).port, env);
    },
    async close() {
      await world.browser.close();
      for (const end of ends) end();
      await world.forge.exited;
      await site.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  try {
    await pairBrowser(world.forge, browser);
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}
