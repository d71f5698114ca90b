import path from 'node:path';
import { Pool } from 'undici';
import type { Target } from './load.ts';
import { ask, startBundle, startForge, type Forge, type Running } from './processes.ts';

const DEMO = `id: bench
name: Bench
version: "1.0.0"
settings: { base_url: { required: true }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  item: { protocol: http, parameters: { id: { required: true } }, request: { url: '{base_url}/items/{args.id}' } }
  save: { protocol: http, parameters: { id: { required: true } }, request: { method: POST, url: '{base_url}/items/{args.id}' } }
  echo: { protocol: shell, read_only: true, parameters: { text: { required: true } }, command: [echo, '{args.text}'] }
  echo_recorded: { protocol: shell, parameters: { text: { required: true } }, command: [echo, '{args.text}'] }
  exchanged:
    protocol: http
    parameters: { id: { required: true } }
    auth: { type: bearer-token-exchange, api_token: '{settings.token}', exchange_url: '{settings.base_url}/login' }
    request: { url: '{base_url}/items/{args.id}' }
`;

/** An API, a bare server in front of it, and a Forge that knows it. */
export interface World {
  folder: string;
  upstream: Running;
  bare: Running;
  forge: Forge;
  stop: () => Promise<void>;
}

export async function startWorld(folder: string): Promise<World> {
  const upstream = await startBundle(folder, 'upstream', '/items/0');
  const bare = await startBundle(folder, 'bare-koa', '/health', upstream.url);
  const forge = await startForge(path.join(folder, 'data'));
  await ask(forge, 'POST', '/api/connectors/install-local', { yaml: DEMO });
  const values = { base_url: upstream.url, token: 'bench-token-value' };
  await ask(forge, 'PUT', '/api/connectors/bench/settings', { values });
  const stop = async (): Promise<void> => {
    await Promise.all([forge, bare, upstream].map((running) => running.stop()));
  };
  return { folder, upstream, bare, forge, stop };
}

interface Posted {
  path: string;
  headers?: Record<string, string>;
  body: string | (() => string);
  /** What a right answer looks like. */
  isRight: (text: string) => boolean;
}

/** A target whose answers are texts. */
interface PostingTarget extends Target {
  run: () => Promise<string>;
  close: () => Promise<void>;
}

/** A server as a target: one request after the other over connections that stay open. */
export function posting(name: string, running: Running, posted: Posted): PostingTarget {
  const pool = new Pool(running.url, { connections: 64 });
  const headers = { 'content-type': 'application/json', ...posted.headers };
  const run = async (): Promise<string> => {
    const body = typeof posted.body === 'string' ? posted.body : posted.body();
    const answer = await pool.request({ method: 'POST', path: posted.path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !posted.isRight(text))
      throw new Error(`${name} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  };
  return { name, run, pid: running.child.pid, close: () => pool.close() };
}

/** A tool of Forge's as a target. */
export function calling(forge: Forge, tool: string, args: Record<string, string>): ReturnType<typeof posting> {
  return posting('forge', forge, {
    path: `/api/tools/${tool}/call`,
    headers: { 'x-forge-token': forge.token },
    body: JSON.stringify({ args }),
    isRight: isOk,
  });
}

export const isOk = (text: string): boolean => text.startsWith('{"ok":true');
