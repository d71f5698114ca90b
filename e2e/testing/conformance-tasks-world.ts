import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { systemClock, type Clock } from '../../server/bridge/clock.ts';
import { testForge } from '../../server/testing/forge.ts';
import { json, upstream } from '../../server/testing/upstream.ts';
import { renameQuestions } from './conformance-world.ts';
import { startGateway } from './mcp-gateway.ts';

/** Watches poll every 30 seconds, and the suite waits ten for the end of a task. */
const SPEED = 60;

interface Job {
  fails: boolean;
  endsAt: number;
}

/** A Forge whose watches live faster, with the tools that the suite wants to see tasks of. */
export async function startTasksWorld(): Promise<string> {
  const service = await startJobs();
  const forge = await testForge({}, undefined, { clock: fastClock(), announce: true });
  const yaml = readFileSync(path.join(import.meta.dirname, '../fixtures/conformance-tasks.yaml'), 'utf8');
  expect((await forge.request('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
  await forge.request('PUT', '/api/connectors/tasks/settings', { values: { base_url: service } });
  const questions = renameQuestions();
  return startGateway({
    url: forge.url,
    token: forge.token,
    rename: (message) => {
      const { method, params } = message;
      if (method === 'tools/call' && params !== undefined)
        params['name'] = `tasks__${String(params['name']).replace(/^test_/, '')}`;
      questions.rename(message);
    },
  });
}

function fastClock(): Clock {
  const start = systemClock.now();
  return {
    now: () => start + (systemClock.now() - start) * SPEED,
    after: (ms, run) => systemClock.after(ms / SPEED, run),
  };
}

/** Jobs that end after some seconds. */
async function startJobs(): Promise<string> {
  const jobs = new Map<string, Job>();
  const { url } = await upstream((request, response) => {
    const { line, body } = request;
    if (line === 'POST /jobs') {
      const { seconds = 0, fails = false } = JSON.parse(body) as { seconds?: number; fails?: boolean };
      const id = `job${jobs.size}`;
      jobs.set(id, { fails, endsAt: Date.now() + seconds * 1000 });
      json({ id })(request, response);
      return;
    }
    const [, name] = /^GET \/greetings\/(.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`Hello, ${name}!`);
      return;
    }
    const job = jobs.get(line.replace('GET /jobs/', ''));
    const isOver = job !== undefined && Date.now() >= job.endsAt;
    json({ done: isOver && !job.fails, broken: isOver && job.fails })(request, response);
  });
  return url;
}
