import { request, type IncomingMessage } from 'node:http';

/** What the call log shows for calls made on the command line. */
const CLIENT_NAME = 'forge-cli';

export interface Sent {
  method: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Received {
  status: number;
  text: string;
}

/** One HTTP request on a connection of its own, so that nothing keeps the command from ending. */
export async function sendRequest(url: string, sent: Sent): Promise<Received> {
  const response = await openRequest(url, sent);
  return { status: response.statusCode ?? 0, text: await readText(response) };
}

/** The same, handed over as soon as it begins to answer. */
export function openRequest(url: string, { method, headers = {}, body, ...limits }: Sent): Promise<IncomingMessage> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal]);
  return new Promise((resolve, reject) => {
    const named = { 'X-Forge-Client': CLIENT_NAME, ...headers };
    const outgoing = request(url, { method, headers: named, agent: false, signal }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export async function readText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}
