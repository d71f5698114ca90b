// npm run bench: our overhead as a ratio to the floor beneath it, measured in the same run. Nothing here fails on a number.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build as buildForge } from '../../server/launch/build.mjs';
import { benchBrowser } from './browser.ts';
import { benchChat } from './chat.ts';
import { benchExchange, benchHttp } from './http.ts';
import { benchMcp } from './mcp.ts';
import { benchPage } from './page.ts';
import { bundle, startForge } from './processes.ts';
import { benchRecovery } from './recovery.ts';
import { benchShell } from './shell.ts';
import { benchStalls } from './stalls.ts';
import { benchStart } from './start.ts';
import { benchWatches } from './watches.ts';
import { startWorld, type World } from './world.ts';

/** Those that share one Forge. */
const TOGETHER: Record<string, (world: World) => Promise<void>> = {
  http: benchHttp,
  shell: benchShell,
  exchange: benchExchange,
  browser: ({ forge }) => benchBrowser(forge),
  recovery: ({ forge }) => benchRecovery(forge),
  mcp: benchMcp,
};

/** Those that start what they need. */
const ALONE: Record<string, (folder: string) => Promise<void>> = {
  start: benchStart,
  page: benchPage,
  chat: async (folder) => {
    const forge = await startForge(path.join(folder, 'data-chat'));
    await benchChat(forge, await bundle(folder, 'bare-chat'));
    await forge.stop();
  },
  watches: benchWatches,
  stalls: benchStalls,
};

/** `BENCH_ONLY=http,shell` leaves the rest out. */
const wanted = process.env['BENCH_ONLY']?.split(',') ?? [...Object.keys(TOGETHER), ...Object.keys(ALONE)];
const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-bench-'));
try {
  await buildForge();
  if (wanted.some((name) => name in TOGETHER)) {
    const world = await startWorld(folder);
    for (const name of wanted) await TOGETHER[name]?.(world);
    await world.stop();
  }
  for (const name of wanted) await ALONE[name]?.(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
