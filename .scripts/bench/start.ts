import { setTimeout as wait } from 'node:timers/promises';
import path from 'node:path';
import { writeManyConnectors } from '../../server/mcp/testing/many-connectors.ts';
import { pssMb, startBundle, startForge, type Forge, type Running } from './processes.ts';
import { ms, ratio, seriesOf, shuffled, times } from './stats.ts';

const STARTS = Number(process.env['BENCH_ROUNDS'] ?? '9');
/** By then both sides have done what they put off at their start. */
const IDLE_MS = 2000;
const READS = 5;

interface Side {
  starts: number[];
  memory: number[];
  round: () => Promise<void>;
}

/** From the start of the process to the first answer, and what it takes when it has nothing to do. */
export async function benchStart(folder: string): Promise<void> {
  const [few, many] = [path.join(folder, 'data-few'), path.join(folder, 'data-many')];
  writeManyConnectors(few, 1, 5);
  writeManyConnectors(many, 100, 20);
  const lists: Lists = { whole: [], unchanged: [] };
  // A first start reads the manifests; what counts is every other.
  for (const dataDir of [few, many]) await (await startForge(dataDir)).stop();
  const [bare, forge, full] = [
    side(() => startBundle(folder, 'bare-koa', '/health')),
    side(() => startForge(few)),
    side(
      () => startForge(many),
      (running) => readLists(running, lists),
    ),
  ];
  for (let round = 0; round < STARTS; round += 1)
    for (const { round: run } of shuffled([bare, forge, full])) await run();
  const [floor, ours, large] = [bare, forge, full].map(({ starts }) => seriesOf(starts)) as [Series, Series, Series];
  const { median, p95 } = ratio(ours, floor);
  console.log(
    `\n(c) start to first answer: bare koa ${ms(floor.median)}, p95 ${ms(floor.p95)}; forge ${ms(ours.median)} (${times(median)}), p95 ${ms(ours.p95)} (${times(p95)})`,
  );
  console.log(`    idle: bare koa ${mb(bare.memory)}, forge ${mb(forge.memory)} PSS`);
  console.log(`(d) 100 connectors × 20 tools: start ${ms(large.median)} (+${ms(large.median - ours.median)})`);
  console.log(
    `    list of tools: ${ms(seriesOf(lists.whole).median)} of server time, ${ms(seriesOf(lists.unchanged).median)} for 304`,
  );
}

type Series = ReturnType<typeof seriesOf>;

function side<R extends Running>(
  start: () => Promise<R>,
  then: (running: R) => Promise<void> = () => Promise.resolve(),
): Side {
  const made: Side = {
    starts: [],
    memory: [],
    round: async () => {
      const running = await start();
      made.starts.push(running.startMs);
      await wait(IDLE_MS);
      made.memory.push(pssMb(running.child.pid ?? 0));
      await then(running);
      await running.stop();
    },
  };
  return made;
}

interface Lists {
  whole: number[];
  unchanged: number[];
}

/** The first list is made for all that follow; each of those is one request between two looks at the server's own clock. */
async function readLists(forge: Forge, lists: Lists): Promise<void> {
  const etag = (await list(forge)).headers.get('etag') ?? '';
  for (let read = 0; read < READS; read += 1) {
    lists.whole.push(await serverMs(forge, 200, () => list(forge)));
    lists.unchanged.push(await serverMs(forge, 304, () => list(forge, etag)));
  }
}

async function list(forge: Forge, etag?: string): Promise<Response> {
  const headers = { 'X-Forge-Token': forge.token, ...(etag === undefined ? {} : { 'If-None-Match': etag }) };
  const response = await fetch(`${forge.url}/api/tools`, { headers });
  await response.arrayBuffer();
  return response;
}

async function serverMs(forge: Forge, status: number, ask: () => Promise<Response>): Promise<number> {
  const before = await spentSeconds(forge);
  const response = await ask();
  if (response.status !== status) throw new Error(`the list of tools was answered with ${response.status}`);
  return ((await spentSeconds(forge)) - before) * 1000;
}

async function spentSeconds(forge: Forge): Promise<number> {
  const response = await fetch(`${forge.url}/metrics`, { headers: { 'X-Forge-Token': forge.token } });
  const found = /^forge_http_request_duration_seconds_sum\{route="\/api\/tools"\} (\S+)$/m.exec(await response.text());
  return Number(found?.[1] ?? Number.NaN);
}

const mb = (values: readonly number[]): string => `${seriesOf(values).median.toFixed(1)} MB`;
