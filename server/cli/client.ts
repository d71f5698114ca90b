import { ERRORS } from '../../shared/error-table.ts';
import { ForgeError, isForgeError, type ErrorCode } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import { isRecord } from '../../shared/json.ts';
import type { Config } from '../config.ts';
import { readToken } from '../http/access.ts';
import type { Forge } from '../main.ts';
import { dataDirPaths } from '../store/data-dir.ts';
import { forgeApi, type ForgeApi } from './api.ts';
import { findServer } from './find-server.ts';
import { openRequest, readText } from './send-request.ts';

const LOCK_WAIT_MS = 3000;
/** A registry on the web may be slow, and a command waits for it. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Sends one request; a failure is thrown with the code, hint and details the server gave. A body of bytes is a zip. */
export type Request = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** An answer that is still coming in. */
export interface Incoming {
  status: number;
  /** The content type. */
  type: string;
  chunks: AsyncIterable<Buffer>;
}

interface OpenOptions {
  body?: unknown;
  accept?: string | undefined;
  timeoutMs?: number;
  /** Stops waiting; the server sees that its client went away. */
  signal?: AbortSignal;
}

/** Sends one request and hands over the answer as it comes in, whatever its status. */
type Open = (method: string, path: string, options?: OpenOptions) => Promise<Incoming>;

/** A Forge that a command talks to. */
export interface Connection {
  url: string;
  token: string;
  /** True for a server that ends with the command, and with it what it keeps in memory. */
  isOwn: boolean;
  open: Open;
  request: Request;
  api: ForgeApi;
}

interface ForgeOptions {
  /** Receives log lines of a Forge that runs only for this command. */
  log?: (line: string) => void;
  waitMs?: number;
}

/** Runs `work` against the server of this data dir, or against one that lives only as long as the command. */
export async function withForge<T>(
  config: Config,
  work: (forge: Connection) => Promise<T>,
  options: ForgeOptions = {},
): Promise<T> {
  const running = await connectToServer(config);
  if (running !== null) return work(running);
  let own: Forge;
  try {
    own = await startOwn(config, options);
  } catch (error) {
    // A server may have been starting at the same moment.
    const late = isForgeError(error, 'data_dir_busy') ? await connectToServer(config) : null;
    if (late === null) throw error;
    return work(late);
  }
  try {
    return await work(connect(own.url, own.services.access.token(), true));
  } finally {
    await own.close();
  }
}

/** The server of this data dir, or null when none runs. */
export async function connectToServer(config: Config): Promise<Connection | null> {
  const server = await findServer(config.dataDir);
  if (server === null) return null;
  const file = dataDirPaths(config.dataDir).token;
  const token = readToken(file);
  if (token === null) {
    throw new ForgeError('unauthorized', `Forge runs at ${server.url}, but its token is gone: there is no ${file}`, {
      hint: 'Stop Forge and start it again; it makes a new token.',
    });
  }
  return connect(server.url, token, false);
}

async function startOwn(config: Config, { log, waitMs = LOCK_WAIT_MS }: ForgeOptions): Promise<Forge> {
  const { startForge } = await import('../main.ts');
  const logLevel = config.logLevel === 'silent' ? 'silent' : 'warn';
  return startForge({ ...config, port: 0, logLevel }, { waitMs, ...(log === undefined ? {} : { log }) });
}

function connect(url: string, token: string, isOwn: boolean): Connection {
  const open: Open = async (method, path, { body, accept, timeoutMs = REQUEST_TIMEOUT_MS, signal } = {}) => {
    const failed = (cause: unknown) => unanswered(url, cause, signal);
    const isZip = body instanceof Uint8Array;
    const headers = {
      'X-Forge-Token': token,
      ...(accept === undefined ? {} : { Accept: accept }),
      ...(body === undefined ? {} : { 'Content-Type': isZip ? 'application/zip' : 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: isZip ? body : JSON.stringify(body) };
    try {
      const response = await openRequest(url + path, { method, headers, timeoutMs, signal, ...sent });
      const { statusCode: status = 0, headers: received } = response;
      return { status, type: received['content-type'] ?? '', chunks: chunksOf(response, failed) };
    } catch (cause) {
      throw failed(cause);
    }
  };
  const request: Request = async (method, path, body) => readAnswer(await open(method, path, { body }));
  return { url, token, isOwn, open, request, api: forgeApi(request) };
}

async function* chunksOf(response: AsyncIterable<Buffer>, failed: (cause: unknown) => ForgeError) {
  try {
    yield* response;
  } catch (cause) {
    throw failed(cause);
  }
}

function unanswered(url: string, cause: unknown, signal: AbortSignal | undefined): ForgeError {
  if (signal?.aborted === true) return new ForgeError('cancelled', 'stopped before there was an answer', { cause });
  return new ForgeError('shutting_down', `Forge at ${url} did not answer`, {
    hint: `See whether it still runs: ${FORGE} doctor`,
    cause,
  });
}

/** The JSON of an answer; an error is thrown as what it was. */
async function readAnswer({ status, chunks }: Incoming): Promise<unknown> {
  const answer = parseAnswer(status, await readText(chunks));
  if (status >= 400) throw errorOf(status, answer);
  return answer;
}

/** What an answer says, whatever its status. */
export function parseAnswer(status: number, text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new ForgeError('internal', `Forge answered ${status} with something that is not JSON`, { cause });
  }
}

/** The error that an answer tells, with the code, hint and details the server gave. */
export function errorOf(status: number, answer: unknown): ForgeError {
  const error = isRecord(answer) ? answer['error'] : undefined;
  if (!isRecord(error)) return new ForgeError('internal', `Forge answered ${status} without saying why`);
  const message = typeof error['message'] === 'string' ? error['message'] : `Forge answered ${status}`;
  return new ForgeError(isErrorCode(error['code']) ? error['code'] : 'internal', message, {
    ...(typeof error['hint'] === 'string' ? { hint: error['hint'] } : {}),
    details: error['details'],
  });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
