import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';

export const ROOT = path.resolve(import.meta.dirname, '../..');

export interface Running {
  child: ChildProcess;
  url: string;
  startMs: number;
  stop(): Promise<void>;
}

/** The built server, and what opens it. */
export interface Forge extends Running {
  token: string;
}

/** A server of the bench's own as one file, made in the way Forge is. */
export async function bundle(folder: string, name: string): Promise<string> {
  const outfile = path.join(folder, `${name}.mjs`);
  const banner = "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);";
  await build({
    absWorkingDir: ROOT,
    entryPoints: [`.scripts/bench/${name}.ts`],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20.19' },
    ...{ minifyWhitespace: true, minifySyntax: true, banner: { js: banner } },
  });
  return outfile;
}

/** Starts one of them; `upstream` is whom it asks in turn. */
export async function startBundle(folder: string, name: string, health: string, upstream = ''): Promise<Running> {
  const file = path.join(folder, `${name}.mjs`);
  const port = await freePort();
  const env = { BENCH_PORT: String(port), BENCH_UPSTREAM: upstream };
  return start(existsSync(file) ? file : await bundle(folder, name), [], port, health, env);
}

/** The built server on a port and a data dir of its own. */
export async function startForge(
  dataDir: string,
  env: Record<string, string> = {},
  output: 'ignore' | 'pipe' = 'ignore',
): Promise<Forge> {
  const port = await freePort();
  const around = { FORGE_DATA_DIR: dataDir, FORGE_PORT: String(port), FORGE_KEY_STORE: 'file', FORGE_LOG: 'silent' };
  const file = path.join(ROOT, 'dist/forge.js');
  const running = await start(file, ['start'], port, '/api/health', { ...around, ...env }, output);
  return { ...running, token: readFileSync(path.join(dataDir, 'token'), 'utf8').trim() };
}

/** Asks Forge's API for something. */
export async function ask(forge: Forge, method: string, place: string, body?: unknown): Promise<unknown> {
  const response = await fetch(forge.url + place, {
    method,
    headers: { 'X-Forge-Token': forge.token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A run that breaks off leaves nobody behind. */
export function endWithBench(child: ChildProcess): void {
  started.add(child);
  child.once('exit', () => started.delete(child));
}

/** Starts a server and waits until it answers; the time is from the spawn to the first answer. */
export async function start(
  file: string,
  args: string[],
  port: number,
  health: string,
  env: Record<string, string>,
  output: 'ignore' | 'pipe' = 'ignore',
): Promise<Running> {
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, 'inherit'],
  });
  endWithBench(child);
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    try {
      const response = await fetch(url + health);
      await response.text();
      if (response.ok) break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`);
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
  return { child, url, startMs: performance.now() - began, stop };
}

/** Processor milliseconds a process has used so far. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The memory that counts as this process's own, in MB. */
export function pssMb(pid: number): number {
  const kb = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}
