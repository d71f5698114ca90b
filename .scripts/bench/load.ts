import { cpuMs } from './processes.ts';
import { ms, ratio, seriesOf, shuffled, times, type Series } from './stats.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? '12');

/** One of those that are compared. */
export interface Target {
  name: string;
  /** One call, whole; throws when its answer is not the right one. */
  run: () => Promise<unknown>;
  /** Makes many calls somewhere else, and says how long each took there. */
  fire?: (count: number, concurrency: number) => Promise<number[]>;
  /** Whose processor time is counted; nobody's when it is left out. */
  pid?: number | undefined;
}

export interface Measured {
  name: string;
  latency: Series;
  cpuPerCall: number;
}

/** Latencies of so many calls with so many in flight, in the order in which they ended. */
export async function fire(run: () => Promise<unknown>, count: number, concurrency: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const began = performance.now();
      await run();
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

/** Until then V8 is still compiling what runs often, on every side. */
const WARM_UP_ROUNDS = 10;

/** Rounds in which the targets take turns, after some that warm them up. */
export async function compare(targets: readonly Target[], perRound: number, concurrency: number): Promise<Measured[]> {
  const runs = targets.map((target) => ({ target, latencies: [] as number[], cpu: 0 }));
  const used = (pid: number | undefined): number => (pid === undefined ? 0 : cpuMs(pid));
  const fireAt = ({ run, fire: elsewhere }: Target, count: number): Promise<number[]> =>
    elsewhere === undefined ? fire(run, count, concurrency) : elsewhere(count, concurrency);
  for (const target of targets) await fireAt(target, perRound * WARM_UP_ROUNDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const run of shuffled(runs)) {
      const before = used(run.target.pid);
      run.latencies.push(...(await fireAt(run.target, perRound)));
      run.cpu += used(run.target.pid) - before;
    }
  }
  return runs.map(({ target, latencies, cpu }) => ({
    name: target.name,
    latency: seriesOf(latencies),
    cpuPerCall: cpu / latencies.length,
  }));
}

/** All of them as ratios to the first, the floor. */
export function report(title: string, measured: readonly Measured[]): void {
  const [floor] = measured;
  if (floor === undefined) return;
  console.log(`\n${title}`);
  for (const { name, latency, cpuPerCall } of measured) {
    const { median, p95, throughput } = ratio(latency, floor.latency);
    const cpu =
      floor.cpuPerCall > 0 && cpuPerCall > 0
        ? `  cpu/call ${ms(cpuPerCall)} (${times(cpuPerCall / floor.cpuPerCall)})`
        : '';
    console.log(
      `  ${name.padEnd(24)} median ${ms(latency.median)} (${times(median)})  p95 ${ms(latency.p95)} (${times(p95)})  throughput ${times(throughput)}${cpu}`,
    );
  }
}
