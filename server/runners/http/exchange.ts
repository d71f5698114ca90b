import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { BodyCollector } from './body-collector.ts';
import type { Deadline } from './deadline.ts';
import type { Route } from './dispatchers.ts';
import { codeOf, describeFailure, tooLarge } from './failures.ts';
import { ReadTurns } from './read-turns.ts';

/** One request as it goes over the wire. */
export interface OutgoingRequest {
  method: string;
  url: URL;
  /** Names and values in turn. */
  headers: readonly string[];
  body: string | Uint8Array | null;
}

/** One answer, complete but still encoded. */
export interface RawResponse {
  status: number;
  statusText: string;
  headers: Record<string, string>;
  /** Lines that cannot be joined as other headers can: commas stand in their dates. */
  setCookie: readonly string[];
  body: Buffer;
}

/** Sends one request and reads its whole answer; redirects and statuses are the caller's business. */
export function exchange(
  route: Route,
  request: OutgoingRequest,
  maxBytes: number,
  deadline: Deadline,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler({ route, request, maxBytes, deadline, resolve, reject });
    if (deadline.reason !== null) handler.stop();
    else handler.start();
  });
}

interface Exchange {
  route: Route;
  request: OutgoingRequest;
  maxBytes: number;
  deadline: Deadline;
  resolve: (response: RawResponse) => void;
  reject: (error: unknown) => void;
}

/** All answers share one event loop. */
const TURNS = new ReadTurns();

/** Listens to undici directly: a stream between it and the collector would cost more than the rest of the call. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #body: BodyCollector;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #isInPieces = false;
  #status = 0;
  #statusText = '';
  #headers: Record<string, string> = {};
  #setCookie: readonly string[] = [];

  constructor(parts: Exchange) {
    this.#exchange = parts;
    this.#body = new BodyCollector(parts.maxBytes);
  }

  start(): void {
    const { route, request, deadline } = this.#exchange;
    deadline.stage = 'connecting';
    deadline.tell(this.stop);
    try {
      route.dispatcher.dispatch(
        {
          origin: request.url.origin,
          path: request.url.pathname + request.url.search,
          method: request.method,
          // undici only reads it.
          headers: request.headers as string[],
          body: request.body,
          // The deadline covers both.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        this,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly stop = (): void => {
    this.#fail(this.#exchange.deadline.reason);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Nothing can be called off before there is a connection, so it is done now.
    if (this.#isSettled) controller.abort(new Error('the caller has gone'));
    else this.#exchange.deadline.stage = 'waiting';
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText?: string,
  ): void {
    if (status < 200 || this.#isSettled) return;
    this.#exchange.deadline.stage = 'reading';
    this.#status = status;
    this.#statusText = statusText ?? '';
    this.#headers = flatten(headers);
    this.#setCookie = linesOf(headers['set-cookie']);
    const announced = Number(this.#headers['content-length']);
    if (announced > this.#exchange.maxBytes && this.#exchange.request.method !== 'HEAD') this.#failTooLarge();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    if (!this.#body.append(chunk)) this.#failTooLarge();
    // Most answers come in one piece, which is not worth counting.
    else if (this.#isInPieces) TURNS.read(controller, chunk.length);
    this.#isInPieces = true;
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#exchange.resolve({
      status: this.#status,
      statusText: this.#statusText,
      headers: this.#headers,
      setCookie: this.#setCookie,
      body: this.#body.take(),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A 304 may repeat the length of the body it stands for, which undici takes for a missing body.
    if (this.#status === 304 && codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') this.onResponseEnd();
    else this.#fail(error);
  }

  #failTooLarge(): void {
    this.#fail(tooLarge(this.#exchange.request.url.host, this.#exchange.maxBytes));
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    const { request, deadline, route, reject } = this.#exchange;
    const attempt = { host: request.url.host, method: request.method, stage: deadline.stage };
    const failure = describeFailure(error, attempt, route.proxy);
    this.#controller?.abort(failure);
    reject(failure);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#exchange.deadline.tell(null);
  }
}

const NO_LINES: readonly string[] = [];

/** undici hands over one line as a text, although its type says otherwise. */
function linesOf(header: string | string[] | undefined): readonly string[] {
  return header === undefined ? NO_LINES : typeof header === 'string' ? [header] : header;
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
