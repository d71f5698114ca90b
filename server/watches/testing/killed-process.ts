import type { Clock } from '../../bridge/clock.ts';
import { openSmallForge } from './small-forge.ts';

/** What the parent tells its child: where, how fast time passes, and at which step it dies; 0 lets it finish what is there. */
interface Orders {
  root: string;
  killAt: number;
  beganAt: number;
  speed: number;
}

const MAX_ACTIVE = 16;
const TOOLS = ['jobs.start', 'jobs.start_and_act', 'jobs.start_chain'];

const { root, killAt, beganAt, speed } = JSON.parse(process.argv[2] ?? '') as Orders; // written by the parent

/** Time that passes faster than it does, so that nobody waits for an interval. */
const clock: Clock = {
  now: () => beganAt + (Date.now() - beganAt) * speed,
  after: (ms, run) => {
    const timer = setTimeout(run, ms / speed);
    return () => clearTimeout(timer);
  },
};

let steps = 0;
const onStep = (): void => {
  steps += 1;
  if (steps === killAt) process.kill(process.pid, 'SIGKILL');
};

const { watches, calls, db, close } = await openSmallForge({ root, clock, onStep });
watches.start();
const waiting = db.prepare(`SELECT count(*) AS count FROM report_deliveries WHERE state = 'waiting'`);
const unsaid = db.prepare(`SELECT count(*) AS count FROM reports WHERE state = 'pending'`);
const isBusy = (): boolean =>
  watches.activeCount() > 0 || [waiting, unsaid].some((rows) => Number(rows.get()?.['count']) > 0);
const origin = { sessionId: 'sess_00000000dead', parentId: null, depth: 0 };

for (let n = 0; killAt > 0 || isBusy(); n += 1) {
  const toolId = TOOLS[n % TOOLS.length] ?? '';
  if (killAt > 0 && watches.activeCount() < MAX_ACTIVE)
    await calls.call({ toolId, args: {}, caller: { kind: 'api', name: 'kill' }, watch: origin });
  await new Promise((resolve) => setTimeout(resolve, 3));
}
await close();
process.exit(0);
