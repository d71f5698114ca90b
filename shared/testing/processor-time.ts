const READINGS = 3;
/** Long enough that the ticks some systems count processor time in do not show. */
const LEAST_MS = 10;
const TIMES_LARGER = 64;

/** What growth() stays below for linear work: far above what caches and the garbage collector do, far below quadratic work. */
export const LINEAR = 10;

/**
 * The best of three, or the first that is below `enough`: neighbours on a busy machine slow even processor time down, and what is slow by
 * itself is slow each time.
 */
export function processorMs(work: () => void, enough = 0): number {
  let best = Infinity;
  for (let reading = 0; reading < READINGS && best >= enough; reading += 1)
    best = Math.min(best, processorMsOnce(work));
  return best;
}

/** How much more each unit of work costs when there are 64 times as many: 1 for linear work, 64 for quadratic. */
export function growth(workOf: (size: number) => () => void, size: number): number {
  return msPerRun(workOf(size * TIMES_LARGER)) / msPerRun(workOf(size)) / TIMES_LARGER;
}

function msPerRun(work: () => void): number {
  for (let runs = 1; ; runs *= 4) {
    const many = (): void => {
      for (let run = 0; run < runs; run += 1) work();
    };
    if (processorMsOnce(many) >= LEAST_MS) return processorMs(many) / runs;
  }
}

function processorMsOnce(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
