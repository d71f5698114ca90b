import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { childrenOf, processesWith } from '../../server/runners/shell/testing/processes.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';
import { programsManifest, STUBBORN } from '../testing/leftovers.ts';

/** How often Forge, the process that starts programs, or both are killed; FORGE_PROCESS_KILLS=200 for the whole proof. */
const KILLS = Number(process.env['FORGE_PROCESS_KILLS'] ?? '10');
const marker = randomBytes(12).toString('hex');

/** Programs that attack what guards them, or hide from it. */
const HOSTILE = {
  kills_its_parent: `setsid sh -c ': >"$READY"; exec sleep 1000' & while [ ! -e "$READY" ]; do :; done; kill -9 $PPID; exec sleep 1000`,
  kills_the_guardian: `setsid sh -c ': >"$READY"; exec sleep 1000' & while [ ! -e "$READY" ]; do :; done
    pkill -9 -P $PPID -f '[e]nd-programs'; kill -9 $PPID; exec sleep 1000`,
  forgets_its_mark: `env -u FORGE_RUN setsid sh -c ': >"$READY"; exec sleep 1000' >/dev/null 2>&1 & exec sleep 1000`,
  ends_first: `setsid sh -c ': >"$READY"; exec sleep 1000' >/dev/null 2>&1 & while [ ! -e "$READY" ]; do :; done; echo done`,
};

const ends: (() => void)[] = [];
const atEnd = (end: () => void): void => void ends.push(end);
let folder: string;
let ready: string;
let forge: ForgeProcess;

const start = async (): Promise<void> => {
  forge = await startForgeProcess(path.join(folder, 'data'), {}, atEnd);
};

beforeAll(async () => {
  folder = tempFolder(atEnd);
  ready = path.join(folder, 'ready');
  await start();
  const yaml = programsManifest({ ...STUBBORN, ...HOSTILE }, marker, ready);
  expect((await forge.call('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
});
afterAll(() => {
  for (const end of ends.toReversed()) end();
  for (const pid of processesWith(marker)) process.kill(pid, 'SIGKILL');
});
beforeEach(() => rmSync(ready, { force: true }));

interface Answer {
  ok: boolean;
  result?: unknown;
  error?: { code: string };
}

/** The answer to a call; null where Forge died before it could give one. */
const call = (tool: string, signal?: AbortSignal): Promise<Answer | null> =>
  fetch(`${forge.url}/api/tools/programs.${tool}/call`, {
    method: 'POST',
    headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ args: {} }),
    ...(signal === undefined ? {} : { signal }),
  }).then(
    async (response) => (await response.json()) as Answer,
    () => null,
  );

/** Calls a tool and resolves once its programs run. */
async function running(tool: string, signal?: AbortSignal): Promise<{ answer: Promise<Answer | null> }> {
  rmSync(ready, { force: true });
  const answer = call(tool, signal);
  await expect.poll(() => existsSync(ready), { interval: 10 }).toBe(true);
  return { answer };
}

const childOf = (parent: number, part: string): number => {
  const found = childrenOf(parent).find(({ command }) => command.includes(part));
  if (found === undefined) throw new Error(`${parent} has started nothing with ${part}`);
  return found.pid;
};
const spawner = (): number => childOf(forge.child.pid ?? 0, 'shell-spawner');
const guardian = (): number => childOf(spawner(), 'end-programs');
const killAll = async (...pids: number[]): Promise<void> => {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  if (pids.includes(forge.child.pid ?? 0)) await forge.exited;
};
const server = (): number => forge.child.pid ?? 0;
const nothingLeft = (): Promise<void> => expect.poll(() => processesWith(marker), { interval: 20 }).toEqual([]);
const works = async (): Promise<void> => expect(await call('ends_first')).toMatchObject({ ok: true });

const KINDS: Record<string, () => number[]> = {
  server: () => [server()],
  spawner: () => [spawner()],
  'server, then spawner': () => [server(), spawner()],
  'spawner, then server': () => [spawner(), server()],
};

describe('programs of tools', () => {
  it('S12 the first call’s program is not started by the server, and ends with it', async () => {
    const { answer } = await running('plain');
    const commands = childrenOf(server()).map(({ command }) => command);
    expect(commands.filter((command) => command.includes('sleep'))).toEqual([]);
    expect(processesWith(marker)).not.toEqual([]);
    await killAll(server());
    expect(await answer).toBeNull();
    await nothingLeft();
    await start();
  });

  const manyKills = Math.max(300_000, KILLS * 10_000);
  it(
    `S12 leave nothing behind after ${KILLS} kills of the server, of the spawner and of both`,
    { timeout: manyKills },
    async () => {
      const kinds = Object.entries(KINDS);
      const ways = Object.keys(STUBBORN);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const [kind, victims] = kinds[kill % kinds.length] ?? ['', () => []];
        // Every way meets every kind of kill.
        const { answer } = await running(ways[(kill + Math.floor(kill / ways.length)) % ways.length] ?? '');
        expect(processesWith(marker)).not.toEqual([]);
        await killAll(...victims());
        const given = await answer;
        await nothingLeft();
        if (kind === 'spawner') expect(given).toMatchObject({ ok: false, error: { code: 'program_lost' } });
        else await start();
      }
    },
  );

  it('S12 end when Forge is stopped politely', async () => {
    const { answer } = await running('ignores_signals');
    forge.child.kill('SIGTERM');
    await forge.exited;
    await answer;
    await nothingLeft();
    await start();
  });

  it('S12 end when their caller hangs up', async () => {
    const caller = new AbortController();
    const { answer } = await running('ignores_signals', caller.signal);
    caller.abort();
    expect(await answer).toBeNull();
    await nothingLeft();
    await works();
  });

  it('S12 end with their call, daemons included', async () => {
    expect(await call('ends_first')).toMatchObject({ ok: true, result: 'done' });
    await nothingLeft();
  });

  it('S12 end when all three processes are killed at once, with the next start', async () => {
    const { answer } = await running('forks_twice');
    const all = [spawner(), guardian(), server()];
    // Stopped first: whoever still runs would notice the end of another and begin to tidy up.
    for (const pid of all) process.kill(pid, 'SIGSTOP');
    await killAll(...all);
    expect(await answer).toBeNull();
    expect(processesWith(marker)).not.toEqual([]);
    await start();
    await nothingLeft();
    await works();
  });

  it('S12 end although their guardian was killed first', async () => {
    const { answer } = await running('leaves_session');
    const first = guardian();
    process.kill(first, 'SIGKILL');
    await expect.poll(() => childrenOf(spawner()).some(({ pid, command }) => pid !== first && command.includes('end-programs'))).toBe(true); // prettier-ignore
    await killAll(spawner(), server());
    expect(await answer).toBeNull();
    await nothingLeft();
    await start();
  });

  it('S12 end although the spawner stood still', async () => {
    const { answer } = await running('keeps_forking');
    const helper = spawner();
    process.kill(helper, 'SIGSTOP');
    await killAll(server(), helper);
    expect(await answer).toBeNull();
    await nothingLeft();
    await start();
  });

  it.each(['kills_its_parent', 'kills_the_guardian'])('S12 a program that %s gains nothing', async (tool) => {
    expect(await call(tool)).toMatchObject({ ok: false, error: { code: 'program_lost' } });
    await nothingLeft();
    await works();
  });

  it('S12 of thirty at once none is left, and each call hears of it', async () => {
    const { answer } = await running('plain');
    const calls = Array.from({ length: 30 }, () => call('leaves_session'));
    // Two for each of the thirty: a call that has not begun by then would begin afterwards, elsewhere.
    await expect.poll(() => processesWith(marker).length).toBeGreaterThanOrEqual(61);
    process.kill(spawner(), 'SIGKILL');
    for (const given of await Promise.all([answer, ...calls])) {
      expect(given).toMatchObject({ ok: false, error: { code: 'program_lost' } });
    }
    await nothingLeft();
    await works();
  });

  it('S12 of a new Forge are not ended by what guarded those of the one before', async () => {
    const { answer } = await running('plain');
    const [old, oldGuardian] = [spawner(), guardian()];
    process.kill(oldGuardian, 'SIGSTOP');
    await killAll(old, server());
    await answer;
    await start();
    const { answer: next } = await running('leaves_session');
    const before = processesWith(marker);
    process.kill(oldGuardian, 'SIGCONT');
    await expect.poll(() => existsSync(`/proc/${oldGuardian}`)).toBe(false);
    expect(processesWith(marker)).toEqual(before);
    await killAll(server());
    await next;
    await nothingLeft();
    await start();
  });

  it('S12 of a command’s own Forge end with it', async () => {
    await stop();
    const cli = path.join(import.meta.dirname, '../../server/launch/forge.mjs');
    const env = { ...process.env, FORGE_DATA_DIR: path.join(folder, 'data'), FORGE_KEY_STORE: 'file' };
    const child = spawn(process.execPath, [cli, 'call', 'programs.forks_twice'], { env, stdio: 'ignore' });
    await expect.poll(() => existsSync(ready), { interval: 10 }).toBe(true);
    expect(processesWith(marker)).not.toEqual([]);
    child.kill('SIGKILL');
    await nothingLeft();
    await start();
  });

  const groups = writableGroups();
  it.skipIf(groups === null)(
    'S12 that have thrown away their mark end with Forge where it may use a control group',
    async () => {
      await stop();
      const group = path.join(groups ?? '', `forge-test-${marker}`);
      mkdirSync(group);
      const entered = forgeIn(group);
      await entered;
      const { answer } = await running('forgets_its_mark');
      await killAll(spawner(), server());
      await answer;
      await nothingLeft();
      // The guardian removes the group it has emptied; only then can the one around it go.
      await expect.poll(() => tryRemove(group)).toBe(true);
      await start();
    },
  );
});

async function stop(): Promise<void> {
  forge.child.kill('SIGTERM');
  await forge.exited;
}

/** Starts Forge in a control group that is its own. */
async function forgeIn(group: string): Promise<void> {
  const own = path.join(group, '../cgroup.procs');
  writeFileSync(path.join(group, 'cgroup.procs'), String(process.pid));
  try {
    await start();
  } finally {
    writeFileSync(own, String(process.pid));
  }
}

/** Where the groups of this computer are, if whoever runs the tests may make some. */
function writableGroups(): string | null {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const place = mounts.find((line) => line.includes(' - cgroup2 '))?.split(' ')[4];
  if (place === undefined || !/^0::\/$/m.test(readFileSync('/proc/self/cgroup', 'utf8'))) return null;
  try {
    accessSync(place, constants.W_OK);
    return place;
  } catch {
    // Only an administrator may.
    return null;
  }
}

function tryRemove(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    // Somebody is still in it.
    return false;
  }
}
