import { getHeapSpaceStatistics } from 'node:v8';
import { gauge, sample, type Family } from './exposition.ts';
import { procFamilies } from './proc-families.ts';

/** What can be said of this process and of Node when somebody asks. Nothing is measured in between. */
export async function processFamilies(now = () => performance.now()): Promise<Family[]> {
  const lag = await loopLag(now);
  return [
    ...processorTime(),
    gauge('process_start_time_seconds', 'When the process started, in Unix time.', startedAt()),
    gauge('process_resident_memory_bytes', 'Memory of the process that is in RAM.', process.memoryUsage.rss()),
    ...procFamilies(),
    gauge('nodejs_eventloop_lag_seconds', 'How long the event loop took to come round when this was asked.', lag),
    ...activeResources(),
    ...heap(),
    ...heapSpaces(),
    nodeVersion(),
  ];
}

/** A sampler would tell of the time in between as well, but it wakes an idle process a hundred times a second. */
async function loopLag(now: () => number): Promise<number> {
  const asked = now();
  await new Promise((resolve) => setImmediate(resolve));
  return (now() - asked) / 1000;
}

function startedAt(): number {
  return Math.round(performance.timeOrigin / 1000);
}

function processorTime(): Family[] {
  const { user, system } = process.cpuUsage();
  const counter = (name: string, help: string, microseconds: number): Family => {
    return { name, help, type: 'counter', samples: [sample(microseconds / 1e6)] };
  };
  return [
    counter('process_cpu_user_seconds_total', 'Processor time of the process in user mode.', user),
    counter('process_cpu_system_seconds_total', 'Processor time of the process in the kernel.', system),
    counter('process_cpu_seconds_total', 'Processor time of the process, user and kernel.', user + system),
  ];
}

/** Timers, sockets and whatever else keeps Node from ending. */
function activeResources(): Family[] {
  const types = process.getActiveResourcesInfo();
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [
    {
      name: 'nodejs_active_resources',
      help: 'What keeps the event loop alive, by type.',
      type: 'gauge',
      samples: [...counts].map(([type, count]) => sample(count, { type })),
    },
    gauge('nodejs_active_resources_total', 'How many things keep the event loop alive.', types.length),
  ];
}

function heap(): Family[] {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  return [
    gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap.', heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'What is in use of the JavaScript heap.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory outside the heap that JavaScript objects hold.', external),
  ];
}

function heapSpaces(): Family[] {
  const spaces = getHeapSpaceStatistics();
  const family = (what: string, help: string, bytes: (space: (typeof spaces)[number]) => number): Family => ({
    name: `nodejs_heap_space_size_${what}_bytes`,
    help,
    type: 'gauge',
    samples: spaces.map((space) => sample(bytes(space), { space: space.space_name.replace(/_space$/, '') })),
  });
  return [
    family('total', 'Size of the heap, by space.', (space) => space.space_size),
    family('used', 'What is in use of the heap, by space.', (space) => space.space_used_size),
    family('available', 'What is free of the heap, by space.', (space) => space.space_available_size),
  ];
}

function nodeVersion(): Family {
  const { version } = process;
  const [major = '', minor = '', patch = ''] = version.slice(1).split('.');
  return {
    name: 'nodejs_version_info',
    help: 'The version of Node.',
    type: 'gauge',
    samples: [sample(1, { version, major, minor, patch })],
  };
}
