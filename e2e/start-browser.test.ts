import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { browserProcesses } from './testing/browser-processes.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { startSite } from './testing/site.ts';

const DEMO = `
id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
tools:
  heading:
    page: { url: "{base_url}/plain", on_target: /plain }
    script: return document.querySelector('h1').textContent
`;

/** The pids of the browser that Forge has started; none once it is gone. */
function pidsOf(profile: string): number[] {
  try {
    return browserProcesses(profile).map(({ pid }) => pid);
  } catch {
    return [];
  }
}

async function connected(forge: ForgeProcess): Promise<boolean[]> {
  const { browsers } = (await (await forge.call('GET', '/api/browsers')).json()) as {
    browsers: { connected: boolean }[];
  };
  return browsers.map((browser) => browser.connected);
}

it('forge start --browser brings a browser that is paired without a click, runs tools, and goes with Forge', async () => {
  const site = await startSite();
  onTestFinished(() => site.close());
  const dataDir = path.join(tempFolder(), 'data');
  const profile = path.join(dataDir, 'browser');
  onTestFinished(() => {
    for (const pid of pidsOf(profile)) process.kill(pid, 'SIGKILL');
  });
  // Without a screen it has no window, and the tests have none to show it on.
  const noScreen = { DISPLAY: '', WAYLAND_DISPLAY: '' };
  const forge = await startForgeProcess(dataDir, noScreen, onTestFinished, ['--browser', '--no-extension']);
  await expect.poll(() => connected(forge), { timeout: 60_000 }).toEqual([true]);
  await forge.call('POST', '/api/connectors/install-local', { yaml: DEMO });
  await forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: site.origin } });
  const answer = await (await forge.call('POST', '/api/tools/demo.heading/call', { args: {} })).json();
  expect(answer).toMatchObject({ ok: true, result: 'Plain' });
  expect(forge.output()).toContain('Log in with a window once');
  const started = pidsOf(profile).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  expect(started.join('\n')).toContain('--window-size=1440,900');
  // Forge's own page is closed to extensions in this browser.
  const preferences = JSON.parse(readFileSync(path.join(profile, 'Default', 'Preferences'), 'utf8')) as {
    extensions: { user_permissions: { restricted_sites: string[] } };
  };
  expect(preferences.extensions.user_permissions.restricted_sites).toContain(forge.url);
  // It listens on another port than the usual one, and has a copy of the extension that connects there.
  const manifest = readFileSync(path.join(dataDir, 'extension', 'chrome-mv3', 'manifest.json'), 'utf8');
  expect(manifest).toContain(`connect-src ws://${new URL(forge.url).host} ${forge.url};`);
  forge.child.kill('SIGTERM');
  expect(await forge.exited).toBe(0);
  await expect.poll(() => pidsOf(profile)).toEqual([]);
});
