import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as sendRequest } from 'undici';
import { onTestFinished } from 'vitest';
import type { SendExchange } from '../token-exchange.ts';

interface LoginRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = (request: LoginRequest, response: ServerResponse) => void;

interface LoginServer {
  url: string;
  /** What arrived so far. */
  requests: LoginRequest[];
  /** Resolves when the nth request (from 1) has arrived. */
  arrival(n: number): Promise<void>;
}

/** A real exchange endpoint on this computer that answers as the test says. */
export async function loginServer(answer: Answer): Promise<LoginServer> {
  const requests: LoginRequest[] = [];
  const arrivals: { n: number; resolve: () => void }[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
      requests.push(request);
      for (const { n, resolve } of arrivals) if (requests.length >= n) resolve();
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  // A TCP server that listens has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const arrival = (n: number): Promise<void> =>
    new Promise((resolve) => (requests.length >= n ? resolve() : void arrivals.push({ n, resolve })));
  return { url: `http://127.0.0.1:${port}`, requests, arrival };
}

/** Sends as the http runner does: redirects are not followed. */
export const send: SendExchange = async ({ method, url, headers, body }, signal) => {
  const response = await sendRequest(url, { method, headers: { ...headers }, body, signal });
  return { status: response.statusCode, headers: {}, body: Buffer.from(await response.body.arrayBuffer()) };
};

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
