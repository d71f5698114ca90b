import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE_VERSION } from '../../version.ts';
import type { Cookies, HttpRequest, RunContext, Runner } from '../job.ts';
import type { HttpResponse } from '../response.ts';
import { CircuitBreaker, type Outcome } from './circuit-breaker.ts';
import { Deadline, systemSleep, type Sleep } from './deadline.ts';
import { ACCEPTED_ENCODINGS, decodeBody } from './decode-body.ts';
import type { Dispatchers, OnStage, Route } from './dispatchers.ts';
import { exchange, type OutgoingRequest, type RawResponse } from './exchange.ts';
import { isOutage } from './failures.ts';
import type { Lookup } from './guarded-lookup.ts';
import type { ProxySettings } from './proxy.ts';
import { countRedirect, followRedirect, redirectTarget } from './redirects.ts';
import { parseRetryAfter } from './retry-after.ts';

export interface HttpRunnerOptions {
  /** Ports Forge itself listens on; no request may come back to them. */
  ownPorts: () => readonly number[];
  proxy?: ProxySettings;
  /** The limit for an answer, before and after decoding. */
  maxResponseBytes?: number;
  lookup?: Lookup;
  now?: () => number;
  sleep?: Sleep;
}

export interface HttpRunner extends Runner<HttpRequest> {
  run(job: HttpRequest, context: RunContext): Promise<HttpResponse>;
  close(): Promise<void>;
}

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;
const MAX_RETRIES = 2;
const USER_AGENT = `Forge/${FORGE_VERSION}`;

/** Makes the runner for requests from the server; connections are shared between calls until it is closed. */
export function createHttpRunner(options: HttpRunnerOptions): HttpRunner {
  const { ownPorts, proxy = {}, lookup, now = Date.now } = options;
  const { sleep = systemSleep, maxResponseBytes = MAX_RESPONSE_BYTES } = options;
  const breaker = new CircuitBreaker(now);
  let tools: Tools | null = null;
  let isClosed = false;

  /** The HTTP client is the largest part of Forge, and a start that makes no request does not wait for it. */
  const loadTools = async (): Promise<Tools> => {
    const module = await import('./dispatchers.ts');
    tools ??= { dispatchers: new module.Dispatchers({ ownPorts, lookup, proxy }), maxResponseBytes, now, sleep };
    return tools;
  };

  return {
    async run(job, { signal, onStage }) {
      if (isClosed) throw new ForgeError('shutting_down', 'no requests are sent any more');
      const url = parseUrl(job.url);
      const { origin, host } = url;
      const passage = breaker.enter(origin);
      const deadline = new Deadline({ host, method: job.method, timeoutMs: job.timeoutMs, signal, now });
      let outcome: Outcome = UNKNOWN;
      try {
        const found = tools ?? (await loadTools());
        const response =
          onStage === undefined
            ? await send(job, url, found.dispatchers.route(url, job), deadline, found)
            : await sendWatched(job, url, onStage, deadline, found);
        outcome = HEALTHY;
        return response;
      } catch (error) {
        if (isOutage(error)) outcome = { kind: 'failing', reason: error.message };
        throw error;
      } finally {
        breaker.leave(origin, passage, outcome);
        deadline.dispose();
      }
    },
    async close() {
      isClosed = true;
      await tools?.dispatchers.close();
    },
  };
}

const HEALTHY: Outcome = { kind: 'healthy' };
const UNKNOWN: Outcome = { kind: 'unknown' };

interface Tools {
  dispatchers: Dispatchers;
  maxResponseBytes: number;
  now: () => number;
  sleep: Sleep;
}

/** Follows redirects within the origin and waits when a read is asked to; whatever else comes back is the answer. */
async function send(job: HttpRequest, url: URL, route: Route, deadline: Deadline, tools: Tools): Promise<HttpResponse> {
  const body = job.payload ?? job.body;
  let request: OutgoingRequest = { method: job.method, url, headers: outgoingHeaders(job.headers), body };
  let redirects = 0;
  let retries = 0;
  for (;;) {
    const response = await exchange(route, withCookies(request, job.cookies), tools.maxResponseBytes, deadline);
    job.cookies?.take(request.url, response.setCookie);
    const waitMs = retries < MAX_RETRIES ? retryDelay(request, response, deadline, tools.now) : null;
    if (waitMs !== null) {
      retries += 1;
      await deadline.wait(waitMs, tools.sleep);
      continue;
    }
    const target = redirectTarget(response, request.url);
    if (target?.origin !== url.origin || !job.followRedirects) {
      if (response.headers['content-encoding'] !== undefined) await decode(request, response, tools.maxResponseBytes);
      return answerOf(request, response, target);
    }
    redirects += 1;
    countRedirect(redirects, target);
    request = followRedirect(request, response.status, target);
    // By the next turn of the event loop the connection is free again, so that no second one is opened.
    await nextTurn();
  }
}

async function sendWatched(
  job: HttpRequest,
  url: URL,
  onStage: OnStage,
  deadline: Deadline,
  tools: Tools,
): Promise<HttpResponse> {
  const route = tools.dispatchers.watchedRoute(url, job, onStage);
  try {
    return await send(job, url, route, deadline, tools);
  } finally {
    await route.close();
  }
}

/** Each address has cookies of its own; a header that the manifest has written comes first. */
function withCookies(request: OutgoingRequest, cookies: Cookies | undefined): OutgoingRequest {
  const value = cookies?.header(request.url) ?? null;
  if (value === null) return request;
  const headers = [...request.headers];
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'cookie');
  if (at === -1) headers.push('cookie', value);
  else headers[at + 1] = `${headers[at + 1] ?? ''}; ${value}`;
  return { ...request, headers };
}

/** How long to wait before a read is repeated, or null when it is not. */
function retryDelay(request: OutgoingRequest, response: RawResponse, deadline: Deadline, now: () => number) {
  if (response.status !== 429 && response.status !== 503) return null;
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  const retryAfter = response.headers['retry-after'];
  if (retryAfter === undefined) return null;
  const time = now();
  const waitMs = parseRetryAfter(retryAfter, time);
  return waitMs !== null && time + waitMs < deadline.endsAt ? waitMs : null;
}

/** Takes off what the body was packed with for the way. */
async function decode(request: OutgoingRequest, response: RawResponse, maxBytes: number): Promise<void> {
  const { headers, body } = response;
  const encoding = headers['content-encoding'] ?? '';
  if (body.length === 0) return;
  const decoded = await decodeBody({ host: request.url.host, body, encoding, maxBytes });
  if (decoded === null) return;
  response.body = decoded;
  // They describe the bytes that were sent, not the ones that are handed on.
  delete headers['content-encoding'];
  delete headers['content-length'];
}

function answerOf({ method, url }: OutgoingRequest, response: RawResponse, target: URL | null): HttpResponse {
  const { status, statusText, headers, body } = response;
  const redirectedTo = target === null ? null : target.href;
  return { kind: 'http', method, url: url.href, status, statusText, headers, body, redirectedTo };
}

function outgoingHeaders(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = [];
  let hasEncoding = false;
  let hasAgent = false;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    list.push(name, value);
    const lower = name.toLowerCase();
    if (lower === 'accept-encoding') hasEncoding = true;
    else if (lower === 'user-agent') hasAgent = true;
  }
  if (!hasEncoding) list.push('accept-encoding', ACCEPTED_ENCODINGS);
  // Some services refuse requests that do not say who sends them.
  if (!hasAgent) list.push('user-agent', USER_AGENT);
  return list;
}

function parseUrl(text: string): URL {
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {
    // Told below, together with addresses of a kind that cannot be called.
  }
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // The address is not repeated: its query may hold a secret.
  const problem =
    url === null ? 'the address of the request is not a URL' : `Forge cannot call ${url.protocol} addresses`;
  throw new ForgeError('upstream_unreachable', problem, {
    hint: 'Use an address that begins with http:// or https:// in the connector’s settings.',
  });
}
