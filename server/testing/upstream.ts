import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { httpServer, httpsServer, type TestServer } from '../runners/http/testing/servers.ts';

/** A request as it arrived. */
export interface Seen {
  /** `GET /path?query` */
  line: string;
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** Names as they were sent, repetitions included. */
  headerNames: string[];
  body: string;
}

export type Answer = (seen: Seen, response: ServerResponse) => void;

interface Upstream extends Pick<TestServer, 'port' | 'stop'> {
  /** `http://127.0.0.1:<port>` */
  url: string;
  host: string;
  seen: Seen[];
}

/** A service on this computer that remembers what it was asked, gone when the test is. */
export async function upstream(answer: Answer = json({ ok: 1 }), scheme: 'http' | 'https' = 'http'): Promise<Upstream> {
  const seen: Seen[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const onBody = (body: string): void => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const headerNames = rawHeaders.filter((_, index) => index % 2 === 0);
      const arrived: Seen = { line: `${method} ${url}`, method, url, headers, headerNames, body };
      seen.push(arrived);
      answer(arrived, response);
    };
    // Nobody is there to be answered when the request breaks off.
    text(request).then(onBody, () => undefined);
  };
  const { origin, port, stop } = await (scheme === 'http' ? httpServer(listener) : httpsServer(listener));
  return { url: origin, host: `127.0.0.1:${port}`, port, stop, seen };
}

/** Answers JSON. */
export function json(value: unknown, status = 200): Answer {
  return (_seen, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}
