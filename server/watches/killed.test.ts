import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { reportText } from '../../shared/report-text.ts';
import { PROJECT_ROOT } from '../config.ts';
import { systemClock } from '../bridge/clock.ts';
import { integrityProblems } from '../store/database.ts';
import { tempFolder } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';
import { openSmallForge, SPOKEN } from './testing/small-forge.ts';
import { jobsManifest } from './testing/watch-world.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const KILLS = Number(process.env['FORGE_WATCH_KILLS'] ?? rounds(200));
/** Processes that are killed at the same time, each with data of its own. */
const LANES = 4;
/** How much faster time passes. A watch that is never looked at because its process keeps dying must not time out. */
const SPEED = 600;
/** From the first statement of a start to the middle of polls, ends, chained tools and deliveries. */
const MAX_STEPS = 600;
const POLL = `poll: look, poll_args: { id: '{result.id}' }, done_path: done, fail_path: error, interval_sec: 30`;

const start = (name: string, ending: string) => `
  ${name}:
    protocol: http
    description: Start a job.
    request: { method: POST, url: '{base_url}/jobs' }
    async: { ${POLL}, ${ending}, on_fail: { message: 'Not confirmed: {result.id}.' } }`;
const MANIFEST = jobsManifest(
  `{ ${POLL}, on_done: { message: 'Done: {result.id}.' } }`,
  start(
    'start_and_act',
    `on_done: { mode: tool, tool: act, args: { note: '{result.id}' }, message: 'Acted: {result.id}.' }`,
  ) + start('start_chain', `on_done: { mode: tool, tool: start, message: 'Went on: {result.id}.' }`),
);

/** A child in one file, so that it starts in a fraction of the time. */
async function bundleChild(): Promise<string> {
  const folder = path.join(PROJECT_ROOT, 'node_modules', '.cache', `forge-killed-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [path.join(import.meta.dirname, 'testing', 'killed-process.ts')],
    outfile: path.join(folder, 'child.mjs'),
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
    external: ['@photostructure/sqlite', '@napi-rs/keyring', 'ssh2'],
    define: { FORGE_BUILD: '"test"' },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  return path.join(folder, 'child.mjs');
}

/** The service whose jobs are watched: done at the third look, whoever looks. */
async function jobs() {
  const looks = new Map<string, number>();
  const actions = new Map<string, number>();
  const hooks = new Map<string, number>();
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1).get(key) ?? 0;
  let started = 0;
  const { url } = await upstream((seen, response) => {
    if (seen.line === 'POST /jobs') json({ id: `j${(started += 1)}` })(seen, response);
    else if (seen.line === 'POST /actions') {
      count(actions, (JSON.parse(seen.body) as { note: string }).note);
      json({ ok: true })(seen, response);
    } else if (seen.line === 'POST /hook') {
      count(hooks, String(seen.headers['webhook-id']));
      response.writeHead(204).end();
    } else {
      const id = seen.url.slice('/jobs/'.length);
      const isDone = count(looks, id) >= 3;
      json(id.endsWith('7') && isDone ? { error: 'broken' } : { done: isDone })(seen, response);
    }
  });
  return { url, actions, hooks };
}

async function prepare(url: string): Promise<string> {
  const root = tempFolder();
  mkdirSync(path.join(root, 'connectors', 'jobs'), { recursive: true });
  writeFileSync(path.join(root, 'connectors', 'jobs', 'manifest.yaml'), MANIFEST);
  const forge = await openSmallForge({ root, clock: systemClock });
  await forge.settings.save(forge.catalog.getPackage('jobs'), { base_url: url, token: 'tok-9f8e7d6c' });
  await forge.channels.save({ webhook_url: `${url}/hook`, webhook_secret: 'shh-5a4b3c2d' }, undefined);
  const request = { toolId: 'jobs.act', args: { note: 'warm-up' }, caller: { kind: 'api' as const, name: 'kill' } };
  const answer = await forge.calls.call(request);
  if (answer.kind !== 'approval') throw new Error('a destructive tool did not ask');
  forge.approvals.decide(answer.approvalId, { decision: 'approve', standing: { max_uses: 1_000_000 } });
  await forge.close();
  return root;
}

/** Runs a child; answers the signal that ended it, or its exit code. */
function runChild(file: string, orders: object): Promise<string | number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, JSON.stringify(orders)], { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
}

it(
  `C-136 killed ${KILLS} times at any step: every report once, a destructive tool at most once, nothing lost or stuck`,
  async () => {
    const file = await bundleChild();
    const service = await jobs();
    const beganAt = Date.now();
    const outcomes = { done: 0, failed: 0, unknown: 0, chained: 0 };
    let kills = 0;

    const lane = async (): Promise<void> => {
      const root = await prepare(service.url);
      const orders = { root, beganAt, speed: SPEED };
      for (let n = 0; n < KILLS / LANES; n += 1) {
        const ended = await runChild(file, { ...orders, killAt: randomInt(1, MAX_STEPS) });
        kills += Number(ended === 'SIGKILL');
      }
      expect(await runChild(file, { ...orders, killAt: 0 })).toBe(0);
      expect(await integrityProblems(path.join(root, 'forge.db'))).toEqual([]);
      await check(root, service, outcomes);
    };
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    expect(lanes.filter(({ status }) => status === 'rejected')).toEqual([]);

    expect(kills).toBe(Math.ceil(KILLS / LANES) * LANES);
    expect(outcomes.done).toBeGreaterThan(0);
    expect(outcomes.chained).toBeGreaterThan(0);
    expect([...service.actions.values()].every((times) => times === 1)).toBe(true);
  },
  Math.max(180_000, KILLS * 2000),
);

type Service = Awaited<ReturnType<typeof jobs>>;

async function check(root: string, service: Service, outcomes: Record<string, number>): Promise<void> {
  const { db, watches, close } = await openSmallForge({ root, clock: systemClock });
  const all = watches.list({ limit: 10_000 });
  const said = db.prepare('SELECT text FROM said WHERE report_id = ?');
  for (const { id, state, reason, toolId, plan } of all) {
    const { reports } = watches.get(id);
    const ends = reports.filter(({ kind }) => kind !== 'parked');
    expect(ends, `${id} is ${state}`).toHaveLength(1);
    const [{ text, words, id: reportId }] = ends as [(typeof ends)[number]];
    expect(service.hooks.get(reportId), `${reportId} was delivered`).toBeGreaterThanOrEqual(1);
    expect(said.all(reportId), `${reportId} was said once`).toEqual([{ text: reportText({ text, words }) }]);
    expect(['done', 'failed']).toContain(state);
    const children = all.filter(({ parentId }) => parentId === id);
    const isChained = toolId === 'jobs.start_chain' && state === 'done';
    outcomes['chained'] = (outcomes['chained'] ?? 0) + children.length;
    expect(children, `${id} of ${toolId} is ${state}`).toHaveLength(Number(isChained));
    const job = plan.pollArgs['id'] as string;
    const acted = service.actions.get(job) ?? 0;
    const isUnknown = reason?.code === 'unknown';
    outcomes[isUnknown ? 'unknown' : state] = (outcomes[isUnknown ? 'unknown' : state] ?? 0) + 1;
    if (toolId === 'jobs.start_and_act' && state === 'done')
      expect([acted, text, words]).toEqual([1, `Acted: ${job}.`, `${SPOKEN}Acted: ${job}.`]);
    else if (isUnknown) expect([acted <= 1, text]).toEqual([true, expect.stringContaining('unknown, check')]);
    else expect(acted).toBe(0);
  }
  const told = Number(db.prepare(`SELECT count(*) AS n FROM events WHERE event LIKE '%report.added%'`).get()?.['n']);
  const kept = Number(db.prepare('SELECT count(*) AS n FROM reports').get()?.['n']);
  const lines = Number(db.prepare('SELECT count(*) AS n FROM said').get()?.['n']);
  expect([told, lines, watches.activeCount()]).toEqual([kept, kept, 0]);
  await close();
}
