import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A forward proxy between a browser and everything else, with a hand on each tunnel. */
export interface Proxy {
  port: number;
  /** Tunnels to this port that are open now. */
  tunnels(port: number): number;
  /** Ends every tunnel to this port at both ends, without a word. */
  cut(port: number): void;
  /** The tunnels to this port stay open and carry nothing any more; those that come later do. */
  swallow(port: number): void;
  close(): Promise<void>;
}

interface Tunnel {
  port: number;
  client: Duplex;
  upstream: Socket;
}

/** Starts a proxy on a free port: plain requests are passed on, CONNECT makes a tunnel. */
export async function startProxy(): Promise<Proxy> {
  const open = new Set<Tunnel>();
  const server = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const onward = httpRequest(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', ({ url = '' }, client, head) => {
    const { hostname, port } = new URL(`http://${url}`);
    const tunnel: Tunnel = { port: Number(port), client, upstream: connect(Number(port), hostname) };
    const end = (): void => {
      open.delete(tunnel);
      client.destroy();
      tunnel.upstream.destroy();
    };
    for (const side of [client, tunnel.upstream]) side.on('error', end).on('close', end);
    tunnel.upstream.once('connect', () => {
      open.add(tunnel);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      tunnel.upstream.write(head);
      client.pipe(tunnel.upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const to = (port: number): Tunnel[] => [...open].filter((tunnel) => tunnel.port === port);
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    tunnels: (port) => to(port).length,
    cut(port) {
      for (const { client, upstream } of to(port)) {
        client.destroy();
        upstream.destroy();
      }
    },
    swallow(port) {
      for (const { client, upstream } of to(port)) {
        client.unpipe(upstream).resume();
        upstream.unpipe(client).resume();
      }
    },
    async close() {
      for (const { client, upstream } of open) {
        client.destroy();
        upstream.destroy();
      }
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
