import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { certificateAuthority, type Certificate } from './certificates.ts';

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  port: number;
  /** How many connections it has seen. */
  connections: () => number;
  /** Stops listening and ends the connections it has. */
  stop: () => Promise<void>;
}

/** A real HTTP server on loopback, gone when the test is. */
export function httpServer(answer: http.RequestListener): Promise<TestServer> {
  return listen(http.createServer(answer), 'http');
}

/** The same with a certificate; left out, a self-signed one, as that of an authority is. */
export function httpsServer(
  answer: http.RequestListener,
  { cert, key }: Certificate = certificateAuthority('Self-signed'),
): Promise<TestServer> {
  return listen(https.createServer({ cert, key }, answer), 'https');
}

/** A server that speaks whatever the test makes it say. */
export function rawServer(onSocket: (socket: net.Socket) => void): Promise<TestServer> {
  return listen(net.createServer(onSocket), 'http');
}

/** Listens on every address of this computer, so that whoever gets through by any spelling is seen. */
export async function listen(server: net.Server, scheme: 'http' | 'https', port = 0): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  let seen = 0;
  server.on('connection', (socket) => {
    seen += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) server.close(() => resolve());
      else resolve();
    });
  onTestFinished(stop);
  const address = server.address() as AddressInfo;
  return { origin: `${scheme}://127.0.0.1:${address.port}`, port: address.port, connections: () => seen, stop };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await rawServer((socket) => socket.destroy());
  await server.stop();
  return server.port;
}
