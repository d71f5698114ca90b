import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { httpServer, httpsServer, type TestServer } from '../../runners/http/testing/servers.ts';

/** A request as it arrived. */
export interface Seen {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** Names as they were sent, repetitions included. */
  headerNames: string[];
  body: string;
}

type Answer = (seen: Seen, response: ServerResponse) => void;

/** A service that remembers what it was asked, gone when the test is. */
export async function upstream(
  answer: Answer = (_seen, response) => response.end('{"ok":true}'),
  scheme: 'http' | 'https' = 'http',
): Promise<TestServer & { seen: Seen[] }> {
  const seen: Seen[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const arrived: Seen = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        headerNames: request.rawHeaders.filter((_, index) => index % 2 === 0),
        body: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(arrived);
      answer(arrived, response);
    });
  };
  const server = scheme === 'http' ? await httpServer(listener) : await httpsServer(listener);
  return { ...server, seen };
}
