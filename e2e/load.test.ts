import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../server/store/sqlite.ts';
import { IS_THOROUGH } from '../shared/testing/rounds.ts';
import { startFaultyUpstream, type FaultyUpstream } from './testing/faulty-upstream.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { LoadClient, problemWith, type Ended } from './testing/load-client.ts';
import { HOLD, LARGE, LOAD_KINDS, STUBBORN, type LoadKind } from './testing/load-kinds.ts';
import { MEASURABLE, knowsUsage, openFds, restingMb } from './testing/process-usage.ts';

const SECONDS = Number(process.env['FORGE_LOAD_SECONDS'] ?? (IS_THOROUGH ? '30' : '10'));
const CONCURRENCY = 64;
const MANIFEST = readFileSync(path.join(import.meta.dirname, 'fixtures/load.yaml'), 'utf8');
/** Growth that is no leak, once Forge is warm. */
const GROWTH = 1.1;
/** By then code is compiled and caches are as large as they become. */
const WARM_UP_SECONDS = 10;
/** Answers of the second burst before Forge is told to stop. */
const BURST_ANSWERS = 300;
const HELD = 8;
const STUBBORN_COMMANDS = 4;

interface World {
  dataDir: string;
  seenFile: string;
  upstream: FaultyUpstream;
  forge: ForgeProcess;
}

async function startWorld(): Promise<World> {
  const folder = tempFolder();
  const dataDir = path.join(folder, 'data');
  const seenFile = path.join(folder, 'seen');
  writeFileSync(seenFile, '');
  const upstream = await startFaultyUpstream();
  const forge = await startForgeProcess(dataDir, MEASURABLE);
  const installed = await forge.call('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  expect(installed.status).toBe(201);
  const saved = await forge.call('PUT', '/api/connectors/load/settings', {
    values: {
      base_url: upstream.url,
      flaky_url: upstream.flakyUrl,
      seen_file: seenFile,
      token: 'load-token-1',
      password: 'load-password-1',
    },
  });
  expect(saved.status).toBe(200);
  return { dataDir, seenFile, upstream, forge };
}

/** Large results are kept until they are too large together: from then on their memory stays the same. */
async function fillResultStore(client: LoadClient): Promise<void> {
  const first = await client.call(LARGE, 'fill');
  const handle = first.status === null ? '' : String(first.body.handle);
  for (let n = 0; (await client.read(handle, 'end')).status === 200; n += 1) {
    expect(n).toBeLessThan(10_000);
    await client.call(LARGE, `fill${n}`);
  }
}

class Tally {
  answers = 0;
  readonly problems: string[] = [];
  readonly byKind = new Map<string, number>();
  readonly callIds = new Set<string>();
}

/** Calls of all kinds, so many at once, for so long. */
async function load({ upstream }: World, client: LoadClient, seconds: number, tally: Tally): Promise<void> {
  const endsAt = performance.now() + seconds * 1000;
  const worker = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const ended = await client.next();
      const problem = problemWith(ended, upstream) ?? (await restProblem(client, ended));
      if (problem !== null) tally.problems.push(problem);
      tally.answers += 1;
      tally.byKind.set(ended.kind.name, (tally.byKind.get(ended.kind.name) ?? 0) + 1);
      if (ended.status !== null) tally.callIds.add(String(ended.body.call_id));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Of a large result the end must be there as well, and belong to the same call. */
async function restProblem(client: LoadClient, ended: Ended): Promise<string | null> {
  if (ended.kind !== LARGE || ended.status === null) return null;
  const { status, text } = await client.read(String(ended.body.handle), 'end');
  return status === 200 && text.includes(`"${ended.id}"`)
    ? null
    : `${ended.id}: the rest is ${status} ${text.slice(0, 200)}`;
}

/** Repeats calls until Forge can no longer be reached; what failed to get through comes last. */
async function callUntilGone(client: LoadClient, onAnswer: () => void): Promise<Ended[]> {
  const all: Ended[] = [];
  for (;;) {
    const ended = await client.next();
    all.push(ended);
    if (ended.status === null) return all;
    onAnswer();
  }
}

/** Tells Forge to stop in the middle of a burst, with calls under way that would not end by themselves. */
async function stopDuringBurst({ upstream, forge, seenFile }: World) {
  const client = new LoadClient(forge, CONCURRENCY, 'b');
  const many = (kind: LoadKind, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${kind.name}${n}`, ended: client.call(kind, `${kind.name}${n}`) }));
  const held = many(HOLD, HELD);
  const stubborn = many(STUBBORN, STUBBORN_COMMANDS);
  await upstream.arrived(held.map(({ id }) => id));
  await expect.poll(() => commandsSeen(seenFile).filter(({ pid }) => pid !== null)).toHaveLength(STUBBORN_COMMANDS);

  const workers: Promise<Ended[]>[] = [];
  await new Promise<void>((resolve) => {
    let answers = 0;
    const count = (): void => {
      answers += 1;
      if (answers === BURST_ANSWERS) resolve();
    };
    while (workers.length < CONCURRENCY - HELD - STUBBORN_COMMANDS) workers.push(callUntilGone(client, count));
  });
  forge.child.kill('SIGTERM');
  await expect.poll(() => forge.output()).toContain('Stopping');
  const released = held.slice(0, HELD / 2);
  for (const { id } of released) upstream.release(id);
  // The others would go on for two minutes: one that was waited for would end in its own way, and not as stopped.
  const code = await forge.exited;
  const ended = (await Promise.all([...workers, ...[...held, ...stubborn].map((call) => call.ended)])).flat();
  await client.close();
  return { code, ended, released: new Set(released.map(({ id }) => id)) };
}

/** Ids that commands were started with, and the process of those that wait to be killed. */
function commandsSeen(seenFile: string): { id: string; pid: number | null }[] {
  const lines = readFileSync(seenFile, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [id = '', pid] = line.split(' ');
    return { id, pid: pid === undefined ? null : Number(pid) };
  });
}

/** Whoever was let in gets an answer; only a call that never got anywhere may end with its connection. */
function stopProblem(ended: Ended, { upstream }: World, started: ReadonlySet<string>): string | null {
  const { id, kind } = ended;
  if (ended.status === null) {
    const wasLetIn = upstream.seen(id) > 0 || started.has(id);
    return wasLetIn ? `${kind.name} ${id} was let in and got no answer: ${String(ended.error)}` : null;
  }
  const isStopped = ['shutting_down', 'cancelled'].includes(ended.body.error?.code ?? '');
  return isStopped && [200, 503].includes(ended.status) ? null : problemWith(ended, upstream);
}

async function integrity(dataDir: string): Promise<unknown> {
  const db = await openSqlite(path.join(dataDir, 'forge.db'), { readOnly: true });
  const [row] = db.prepare('PRAGMA integrity_check').all();
  db.close();
  return row?.['integrity_check'];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe(`${SECONDS} seconds of ${CONCURRENCY} calls at a time`, () => {
  it(
    'no answer is lost or mixed up, memory and files stay level, and a stop leaves nobody without an answer',
    { timeout: (WARM_UP_SECONDS + SECONDS + 240) * 1000 },
    async () => {
      const world = await startWorld();
      const { upstream, forge, dataDir, seenFile } = world;
      const pid = forge.child.pid ?? 0;
      // The first calls open what stays open: the log's head, the process that starts programs.
      const first = new LoadClient(forge, CONCURRENCY, 'f');
      await load(world, first, 1, new Tally());
      await first.close();
      upstream.dropConnections();
      const fdsAtStart = knowsUsage ? openFds(pid) : 0;
      const client = new LoadClient(forge, CONCURRENCY, 'c');
      await fillResultStore(client);
      const tally = new Tally();
      await load(world, client, WARM_UP_SECONDS, tally);
      const before = knowsUsage ? await restingMb(forge) : 0;
      await load(world, client, SECONDS, tally);
      const after = knowsUsage ? await restingMb(forge) : 0;
      const { answers, problems, byKind, callIds } = tally;
      expect(problems.slice(0, 20)).toEqual([]);
      expect(callIds.size).toBe(answers);
      expect([...byKind.keys()].toSorted()).toEqual(LOAD_KINDS.map(({ name }) => name).toSorted());
      expect(upstream.strayed).toEqual([]);
      // However many calls met a used-up bearer, each was replaced once.
      expect(upstream.bearers.given - upstream.bearers.usedUp).toBeGreaterThanOrEqual(0);
      expect(upstream.bearers.given - upstream.bearers.usedUp).toBeLessThanOrEqual(1);

      await client.close();
      upstream.dropConnections();
      if (knowsUsage) {
        console.log(`${answers} calls; memory ${before.toFixed(0)} → ${after.toFixed(0)} MB`);
        expect(after).toBeLessThan(before * GROWTH);
        await expect.poll(() => openFds(pid)).toBeLessThanOrEqual(fdsAtStart);
      }

      const burstAt = new Date().toISOString();
      const { code, ended, released } = await stopDuringBurst(world);
      expect(code).toBe(0);
      const commands = commandsSeen(seenFile);
      const started = new Set(commands.map(({ id }) => id));
      expect(ended.map((call) => stopProblem(call, world, started)).filter((problem) => problem !== null)).toEqual([]);
      for (const call of ended.filter(({ id }) => released.has(id)))
        expect(call).toMatchObject({ body: { result: { id: call.id } } });
      expect(commands.filter((command) => command.pid !== null && isAlive(command.pid))).toEqual([]);
      expect(await integrity(dataDir)).toBe('ok');

      const again = await startForgeProcess(dataDir);
      expect(await (await again.call('GET', '/api/calls/verify')).json()).toMatchObject({ ok: true });
      const lines = (await (await again.call('GET', `/api/calls/export?since=${burstAt}`)).text()).trim().split('\n');
      const logged = new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id));
      const answered = ended.flatMap((call) => (call.status === null ? [] : (call.body.call_id ?? [])));
      expect(answered.filter((id) => !logged.has(id))).toEqual([]);
      expect(answered.length).toBeGreaterThanOrEqual(BURST_ANSWERS);
    },
  );
});
