// Begins a thousand watches over half a minute, then measures for twenty seconds, and prints what it found as JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../server/bridge/clock.ts';
import { openSmallForge } from '../../server/watches/testing/small-forge.ts';

const [upstream = '', root = ''] = process.argv.slice(2);
const WATCHES = 1000;
const INTERVAL_MS = 30_000;
const MEASURED_MS = 20_000;

const MANIFEST = `id: jobs
name: Jobs
version: "1.0.0"
description: Starts jobs that never end.
settings: { base_url: { required: true }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  start:
    protocol: http
    description: Start a job.
    parameters: { id: { required: true } }
    request: { url: '{base_url}/items/{args.id}' }
    async: { poll: look, poll_args: { id: '{args.id}' }, done_path: done, interval_sec: 30, max_polls: 500,
      progress: { message: '{poll_count}/{max_polls}' } }
  look:
    protocol: http
    description: Look at a job.
    parameters: { id: { required: true } }
    request: { url: '{base_url}/items/{args.id}' }
`;

mkdirSync(path.join(root, 'connectors', 'jobs'), { recursive: true, mode: 0o700 });
writeFileSync(path.join(root, 'connectors', 'jobs', 'manifest.yaml'), MANIFEST);
const { settings, catalog, watches, calls, close } = await openSmallForge({
  root,
  clock: systemClock,
  limits: { maxActive: WATCHES },
});
await settings.save(catalog.getPackage('jobs'), { base_url: upstream, token: 'bench-token-value' });
watches.start();
const began = Date.now();
for (let n = 0; n < WATCHES; n += 1) {
  const caller = { kind: 'api', name: 'bench' } as const;
  const answer = await calls.call({ toolId: 'jobs.start', args: { id: String(n) }, caller });
  if (answer.kind !== 'done') throw new Error(JSON.stringify(answer));
  await delay(Math.max(0, began + ((n + 1) * INTERVAL_MS) / WATCHES - Date.now()));
}

const from = Date.now();
const before = process.cpuUsage();
await delay(MEASURED_MS);
const used = process.cpuUsage(before);
const until = Date.now();
// When a poll began is when it was written down less the time it took, so what is written here is a little too late.
const lateMs = watches.list({ limit: WATCHES }).flatMap(({ id, startedAt }) =>
  watches
    .get(id)
    .polls.map(({ at, durationMs }) => at - durationMs)
    .filter((at) => at >= from && at < until)
    .map((at) => (at - startedAt) % INTERVAL_MS),
);
const cpuShare = (used.user + used.system) / 1000 / (until - from);
console.log(JSON.stringify({ polls: lateMs.length, cpuShare, lateMs }));
await close();
process.exit(0);
