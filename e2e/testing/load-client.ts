import { Pool } from 'undici';
import type { FaultyUpstream } from './faulty-upstream.ts';
import type { ForgeProcess } from './forge-process.ts';
import { kindOf, type CallBody, type LoadKind } from './load-kinds.ts';

/** An answer that takes longer than any tool may is lost. */
const LOST_MS = 60_000;

/** How one call ended for its caller: with an answer, or with a connection that broke. */
export type Ended = { id: string; kind: LoadKind } & (
  | { status: number; body: CallBody }
  | { status: null; error: unknown }
);

/** Calls tools of a Forge process, each call with an id of its own. */
export class LoadClient {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;
  readonly #prefix: string;
  #next = 0;

  /** The prefix, one letter, keeps the ids of two clients apart. */
  constructor(forge: Pick<ForgeProcess, 'url' | 'token'>, connections: number, prefix: string) {
    this.#prefix = prefix;
    this.#pool = new Pool(forge.url, { connections, headersTimeout: LOST_MS, bodyTimeout: LOST_MS });
    this.#headers = { 'x-forge-token': forge.token, 'content-type': 'application/json' };
  }

  /** The next call of the mix. */
  next(): Promise<Ended> {
    const n = this.#next++;
    return this.call(kindOf(n), `${this.#prefix}${n}`);
  }

  async call(kind: LoadKind, id: string): Promise<Ended> {
    try {
      const body = JSON.stringify({ args: kind.args(id) });
      const answer = await this.#send('POST', `/api/tools/${kind.tool}/call`, body);
      return { id, kind, status: answer.status, body: JSON.parse(answer.text) as CallBody }; // what the assertions look into
    } catch (error) {
      return { id, kind, status: null, error };
    }
  }

  /** One value out of a result that was too large to hand over. */
  async read(handle: string, path: string): Promise<{ status: number; text: string }> {
    return this.#send('GET', `/api/results/${handle}?path=${path}`);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #send(method: 'GET' | 'POST', path: string, body?: string): Promise<{ status: number; text: string }> {
    const response = await this.#pool.request({ method, path, headers: this.#headers, body: body ?? null });
    return { status: response.statusCode, text: await response.body.text() };
  }
}

/** What is wrong with how a call ended, or null. */
export function problemWith(ended: Ended, upstream: FaultyUpstream): string | null {
  const { id, kind } = ended;
  if (ended.status === null) return `${kind.name} ${id}: no answer: ${String(ended.error)}`;
  const said = JSON.stringify(ended.body).slice(0, 300);
  if (ended.status !== 200) return `${kind.name} ${id}: HTTP ${ended.status}: ${said}`;
  if (!kind.isRight(ended.body, id)) return `${kind.name} ${id}: ${said}`;
  const requests = upstream.seen(id);
  if (kind.requests.length > 0 && !kind.requests.includes(requests))
    return `${kind.name} ${id}: sent ${requests} times`;
  return null;
}
