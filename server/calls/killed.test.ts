import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { fileKeyStore } from '../secrets/key-store-file.ts';
import { openSecrets } from '../secrets/secrets.ts';
import { integrityProblems, openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { bundled } from '../testing/bundled.ts';
import { upstream } from '../testing/upstream.ts';
import { createCallLog } from './call-log.ts';
import { openLogKeys } from './log-keys.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const KILLS = Number(process.env['FORGE_LOG_KILLS'] ?? rounds(100));

let scripts: URL[];
beforeAll(async () => {
  const sources = ['testing/killed-process.ts', 'writer-thread.ts', 'reader-thread.ts'];
  scripts = await Promise.all(sources.map((name) => bundled(`server/calls/${name}`)));
});
afterAll(() => {
  for (const script of scripts) rmSync(script, { force: true });
});

/** Runs a child to its end; answers the signal that ended it. */
function killedChild(file: string, orders: object): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, JSON.stringify(orders)], { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.once('error', reject);
    child.once('exit', (_, signal) => resolve(signal));
  });
}

it(
  `S6 killed ${KILLS} times with calls under way: none that took effect is missing from the log`,
  async () => {
    const [child, writer, reader] = scripts.map(String) as [string, string, string];
    const root = tempDir();
    // Every request that arrives has taken effect.
    const service = await upstream();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const orders = { root, url: service.url, writer, reader };
      expect(await killedChild(fileURLToPath(child), orders)).toBe('SIGKILL');
    }
    const effects = new Set(service.seen.map(({ url }) => url.slice(1)));
    expect(effects.size).toBeGreaterThan(KILLS);

    expect(await integrityProblems(path.join(root, 'forge.db'))).toEqual([]);
    const db = await openDatabase(path.join(root, 'forge.db'));
    onTestFinished(() => db.close());
    const secrets = await openSecrets({ db, keyStore: fileKeyStore(path.join(root, 'key')) });
    const keys = await openLogKeys({ db, secrets });
    const limits = { days: 30, rows: 1_000_000 };
    const log = createCallLog({ db, keys, headFile: path.join(root, 'call-log-head'), limits });
    expect([...effects].filter((id) => log.get(id) === null)).toEqual([]);
    expect(await log.verify()).toMatchObject({ ok: true, open: 0, unkeyed: 0 });
  },
  Math.max(180_000, KILLS * 2000),
);
