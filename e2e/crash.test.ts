import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../server/config.ts';
import { startForge } from '../server/main.ts';
import { openSqlite } from '../server/store/sqlite.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { rounds } from '../shared/testing/rounds.ts';

const KILLS = Number(process.env['FORGE_KILLS'] ?? rounds(100));

const manifest = (version: number) => `id: demo
name: Demo
version: "0.0.${version}"
description: Killed while it is being written.
settings: { counter: { type: string }, token: { type: secret } }
tools: { t: { protocol: shell, description: 'Version ${version}.', command: [echo, '${version}'] } }
`;

interface Job {
  /** The number of the last change that was answered, and of the one under way. */
  settled: number;
  tried: number;
  /** Called after each answer. */
  onSettled: () => void;
}

type Work = (forge: ForgeProcess, job: Job) => Promise<void>;

/** Repeats one kind of change, each with a number of its own, until the server is killed. */
async function keepChanging(
  forge: ForgeProcess,
  job: Job,
  change: (number: number) => Promise<Response>,
): Promise<void> {
  for (;;) {
    job.tried += 1;
    try {
      const answer = await change(job.tried);
      const text = await answer.text();
      if (!answer.ok && answer.status !== 404) throw new Error(`answered ${answer.status}: ${text}`);
    } catch (error) {
      if (forge.child.killed) return;
      throw error;
    }
    job.settled = job.tried;
    job.onSettled();
  }
}

const save: Work = (forge, job) =>
  keepChanging(forge, job, (n) =>
    forge.call('PUT', '/api/connectors/demo/settings', { values: { counter: String(n), token: `secret-${n}` } }),
  );
const install: Work = (forge, job) =>
  keepChanging(forge, job, (n) => forge.call('POST', '/api/connectors/install-local', { yaml: manifest(n) }));
const rotate: Work = (forge, job) => keepChanging(forge, job, () => forge.call('POST', '/api/secrets/rotate'));
const removeAndInstall: Work = (forge, job) =>
  keepChanging(forge, job, (n) =>
    n % 2 === 1
      ? forge.call('DELETE', '/api/connectors/demo?settings=keep')
      : forge.call('POST', '/api/connectors/install-local', { yaml: manifest(n) }),
  );

/** What a person finds after the crash, read by a fresh start on the same data dir. */
async function look(dataDir: string) {
  const config = readConfig({ FORGE_DATA_DIR: dataDir, FORGE_KEY_STORE: 'file', FORGE_PORT: '0', FORGE_LOG: 'silent' });
  const forge = await startForge(config, { waitMs: 5000, log: () => undefined });
  try {
    const { catalog, settings } = forge.services;
    const installed = catalog.find('demo');
    const pack = installed?.package ?? null;
    const values = pack === null ? {} : settings.resolve(pack, () => null);
    const token = values['token'] as { reveal(): string } | undefined;
    return {
      state: installed === null ? 'gone' : pack === null ? 'broken' : 'there',
      version: pack?.version ?? null,
      edited: installed?.edited ?? false,
      recorded: installed?.installation?.version ?? null,
      counter: values['counter'],
      token: token?.reveal(),
    };
  } finally {
    await forge.close();
  }
}

type Found = Awaited<ReturnType<typeof look>>;

async function integrity(dataDir: string): Promise<unknown> {
  const db = await openSqlite(path.join(dataDir, 'forge.db'), { readOnly: true });
  const [row] = db.prepare('PRAGMA integrity_check').all();
  db.close();
  return row?.['integrity_check'];
}

/** Kills the server at a random moment of its work, `kills` times on one data dir, and looks at what is left each time. */
async function killDuring(work: Work, kills: number, check: (found: Found, job: Job) => void): Promise<void> {
  const dataDir = path.join(tempFolder(), 'data');
  const first = await startForgeProcess(dataDir);
  await first.call('POST', '/api/connectors/install-local', { yaml: manifest(0) });
  await first.call('PUT', '/api/connectors/demo/settings', { values: { counter: '0', token: 'secret-0' } });
  first.child.kill('SIGKILL');
  await first.exited;
  const job: Job = { settled: 0, tried: 0, onSettled: () => undefined };
  for (let kill = 0; kill < kills; kill += 1) {
    const forge = await startForgeProcess(dataDir);
    // The first change of a fresh process is slow; from then on one follows the other within milliseconds.
    const begun = new Promise<void>((resolve) => {
      job.onSettled = resolve;
    });
    const working = work(forge, job);
    await Promise.race([begun, working]);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
    forge.child.kill('SIGKILL');
    await forge.exited;
    await working;
    const found = await look(dataDir);
    check(found, job);
    job.settled = job.tried;
  }
  expect(await integrity(dataDir)).toBe('ok');
}

describe('kill -9', () => {
  const each = Math.ceil(KILLS / 4);

  it(`${each} times while settings are saved: the last saved values or the next, never a mix`, async () => {
    let before = 0;
    await killDuring(save, each, (found, { settled, tried }) => {
      const number = Number(found.counter);
      // Nothing may have been answered since the last crash; then what was found there still stands.
      expect([before, settled, tried]).toContain(number);
      expect(number).toBeGreaterThanOrEqual(before);
      expect(found.token).toBe(`secret-${number}`);
      before = number;
    });
    expect(before).toBeGreaterThan(0);
  });

  it(`${each} times while a connector is installed: the old version or the new one, whole`, async () => {
    let before = 0;
    await killDuring(install, each, (found, { settled, tried }) => {
      expect(found).toMatchObject({ state: 'there', edited: false, recorded: found.version });
      const number = Number(found.version?.replace('0.0.', ''));
      expect([before, settled, tried]).toContain(number);
      before = number;
    });
    expect(before).toBeGreaterThan(0);
  });

  it(`${each} times while a connector is removed and installed again: there or gone, settings kept`, async () => {
    await killDuring(removeAndInstall, each, (found) => {
      expect(['there', 'gone']).toContain(found.state);
      expect(found).toMatchObject({ edited: false, recorded: found.version });
      if (found.state === 'there') expect(found.token).toBe('secret-0');
    });
  });

  it(`${each} times while the key is rotated: every secret stays readable`, async () => {
    await killDuring(rotate, each, (found) => {
      expect(found.token).toBe('secret-0');
    });
  });
});
