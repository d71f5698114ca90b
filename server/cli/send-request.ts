import { request } from 'node:http';

interface Sent {
  method: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs: number;
}

export interface Received {
  status: number;
  text: string;
}

/** One HTTP request on a connection of its own, so that nothing keeps the command from ending. */
export function sendRequest(url: string, { method, headers = {}, body, timeoutMs }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
