import { manualClock, type ManualClock } from '../../bridge/testing/manual-clock.ts';
import { testForge, tempFolder, type TestForge } from '../../testing/forge.ts';
import { json, upstream, type Seen } from '../../testing/upstream.ts';

/** Jobs as a service has them: started by POST /jobs, looked at by GET /jobs/<id>, ended by whoever tests. */
export interface JobService {
  url: string;
  seen: Seen[];
  /** What GET /jobs/<id> answers: a value, a status or the address of a redirect; perhaps only in a while. */
  answer: (id: string, poll: number) => unknown;
  /** How often each job was looked at. */
  polls: Map<string, number>;
  /** Bodies that came to POST /actions. */
  actions: string[];
  stop: () => Promise<void>;
}

export async function jobService(): Promise<JobService> {
  let started = 0;
  const { url, seen, stop } = await upstream((request, response) => {
    const id = /^\/jobs\/(\w+)$/.exec(request.url)?.[1];
    if (request.line === 'POST /jobs') {
      started += 1;
      json({ id: `j${started}`, target: { build: 42 }, echo: request.body })(request, response);
    } else if (request.line.startsWith('POST /actions')) {
      service.actions.push(request.body);
      json({ ok: true })(request, response);
    } else if (id === undefined) json({}, 404)(request, response);
    else {
      const poll = (service.polls.get(id) ?? 0) + 1;
      service.polls.set(id, poll);
      void Promise.resolve(service.answer(id, poll)).then((answer) =>
        typeof answer === 'number'
          ? json({ message: 'no' }, answer)(request, response)
          : answer instanceof URL
            ? response.writeHead(302, { location: answer.href }).end()
            : json(answer)(request, response),
      );
    }
  });
  const service: JobService = { url, seen, stop, polls: new Map(), actions: [], answer: () => ({ done: false }) };
  return service;
}

/** A connector whose tool `start` carries this async block, as a flow mapping. */
export function jobsManifest(block: string, more = ''): string {
  return `id: jobs
name: Jobs
version: "1.0.0"
description: Starts jobs that take a while, and looks after them.
settings: { base_url: { required: true }, token: { type: secret }, team: { default: blue } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  start:
    protocol: http
    description: Start a job.
    parameters: { name: {}, password: {} }
    request: { method: POST, url: '{base_url}/jobs', body: { name: '{args.name}', password: '{args.password}' } }
    async: ${block.replaceAll(/\n\s*/g, ' ')}
  look:
    protocol: http
    description: Look at a job.
    parameters: { id: { required: true }, password: {} }
    request: { url: '{base_url}/jobs/{args.id}' }
  act:
    protocol: http
    description: Do something for good.
    destructive: true
    parameters: { note: {} }
    request: { method: POST, url: '{base_url}/actions', body: { note: '{args.note}' } }
  log:
    protocol: http
    description: Write something down.
    parameters: { note: {} }
    request: { method: POST, url: '{base_url}/actions', body: { note: '{args.note}' } }
${more}`;
}

export interface WatchWorld {
  forge: TestForge;
  clock: ManualClock;
  service: JobService;
  /** Starts a job and answers the body. */
  start: (args?: object, more?: object) => Promise<Body>;
  /** Lets time pass, and everything that falls due on the way happen. */
  pass: (sec: number) => Promise<void>;
  watch: (id: string) => Promise<Body>;
  /** A conversation of its own. */
  newSession: () => string;
  /** Starts the same Forge again, on the same data. */
  restart: () => Promise<void>;
}

// Tests look into answers of many shapes; each assertion is the check.
type Body = any; // oxlint-disable-line typescript/no-explicit-any

export const TOKEN = 'canary-watch-token-1';

/** A real Forge with a connector for jobs, and a clock that stands still. */
export async function watchWorld(block: string, more = '', env: Record<string, string> = {}): Promise<WatchWorld> {
  const service = await jobService();
  const clock = manualClock();
  const folder = tempFolder();
  const open = () => testForge({ FORGE_DATA_DIR: `${folder}/data`, ...env }, undefined, { clock, announce: true });
  let forge = await open();
  const installed = await forge.request('POST', '/api/connectors/install-local', { yaml: jobsManifest(block, more) });
  if (installed.status !== 201) throw new Error(installed.text);
  await forge.request('PUT', '/api/connectors/jobs/settings', { values: { base_url: service.url, token: TOKEN } });
  const world: WatchWorld = {
    ...{ clock, service },
    get forge() {
      return forge;
    },
    start: async (args = {}, request = {}) =>
      (await forge.request('POST', '/api/tools/jobs.start/call', { args, ...request })).body,
    pass: (sec) => pass(clock, () => forge.services.watches.settled(), sec),
    watch: async (id) => (await forge.request('GET', `/api/watches/${id}`)).body,
    newSession: () => forge.services.chat.create({}).id,
    restart: async () => {
      await forge.close();
      forge = await open();
    },
  };
  return world;
}

/** Moves a clock from one timer to the next, and lets what each begins come to its end. */
export async function pass(clock: ManualClock, settled: () => Promise<void>, sec: number): Promise<void> {
  const end = clock.now() + sec * 1000;
  for (;;) {
    await settled();
    const next = clock.nextAt();
    if (next > end) break;
    clock.advance(Math.max(0, next - clock.now()));
  }
  clock.advance(end - clock.now());
  await settled();
}
