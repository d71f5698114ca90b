import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Rpc {
  method?: string;
  params?: Record<string, unknown>;
}

/** Parameters that the header Mcp-Name repeats. */
const NAMES = ['name', 'uri'];

interface GatewayOptions {
  url: string;
  token: string;
  /** Other names for what a message asks for. */
  rename: (message: Rpc) => void;
  /** Other names in an answer that is JSON. */
  renameAnswer?: (answer: string, message: Rpc) => string;
  /** Sees all that an answer has brought so far, each time it brings more. */
  overhear?: (answer: string) => void;
}

/**
 * What stands between the conformance suite and Forge: the suite knows no token, and calls things by names of its own. It adds the one and
 * changes the others, in both directions; nothing else, a foreign Host and Origin least of all.
 */
export async function startGateway(options: GatewayOptions): Promise<string> {
  const { token, rename, renameAnswer, overhear = () => undefined } = options;
  const target = new URL(options.url);
  const server = createServer((incoming, outgoing) => {
    const own = `localhost:${(server.address() as AddressInfo).port}`;
    const pass = async (): Promise<void> => {
      const { body, name, message } = renamed(await text(incoming), incoming.headers['mcp-name'], rename);
      const headers = {
        ...passedHeaders(incoming.headers, own, target.host),
        'x-forge-token': token,
        ...(name === undefined ? {} : { 'mcp-name': name }),
      };
      const sent = httpRequest({
        hostname: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: body === '' ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        setHost: false,
      });
      outgoing.once('close', () => sent.destroy());
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      if (renameAnswer !== undefined && message !== undefined && isJson(answer)) {
        const { 'content-length': _length, ...kept } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, kept).end(renameAnswer(await text(answer), message));
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      let heard = '';
      answer.on('data', (chunk: Buffer) => overhear((heard += chunk.toString())));
      answer.pipe(outgoing);
    };
    // The suite hangs up when it has seen enough.
    pass().catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

function isJson({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

/** The gateway's own name becomes Forge's; any other name is passed on as it came. */
function passedHeaders(given: IncomingHttpHeaders, own: string, target: string): IncomingHttpHeaders {
  const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _connection, ...headers } = given;
  return {
    ...headers,
    host: headers.host === own ? target : headers.host,
    ...(headers.origin === `http://${own}` ? { origin: `http://${target}` } : {}),
  };
}

/** A header that repeats the name in the message goes on repeating it. */
function renamed(
  body: string,
  header: string | string[] | undefined,
  rename: (message: Rpc) => void,
): { body: string; name?: string; message?: Rpc } {
  const message = parsed(body);
  if (message === null) return { body };
  const named = NAMES.find((key) => message.params?.[key] !== undefined && message.params[key] === header);
  rename(message);
  const name = named === undefined ? undefined : message.params?.[named];
  return { body: JSON.stringify(message), message, ...(typeof name === 'string' ? { name } : {}) };
}

/** The suite also sends what is no JSON. */
function parsed(body: string): Rpc | null {
  try {
    return JSON.parse(body) as Rpc;
  } catch {
    return null;
  }
}
