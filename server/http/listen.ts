import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer } from 'node:net';
import { ForgeError } from '../../shared/errors.ts';

/** Where Forge listens, and how it lets go of the second address. */
export interface Listening {
  port: number;
  closeSecond: () => Promise<void>;
}

/** For a port that the system chooses: it may be taken on the second address. */
const ATTEMPTS = 5;
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/**
 * Listens on 127.0.0.1 and, where there is one, on ::1 under the same port. Browsers try ::1 first for the name localhost; another user's program
 * that listened there could show confirmations and a login form in Forge's name.
 */
export async function listen(server: Server, wanted: number): Promise<Listening> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await listenOn(server, '127.0.0.1', wanted);
    const second = createServer((socket) => void server.emit('connection', socket));
    try {
      await listenOn(second, '::1', port);
      return { port, closeSecond: () => new Promise((done) => void second.close(() => done())) };
    } catch (error) {
      if (isAbsent(error)) return { port, closeSecond: () => Promise.resolve() };
      await new Promise((resolve) => server.close(resolve));
      if (wanted !== 0 || attempt === ATTEMPTS) throw error;
    }
  }
}

function listenOn(server: Server | NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      const message = `port ${port} on ${host} is taken or not allowed`;
      reject(isTaken ? new ForgeError('port_in_use', message, { cause: error }) : error);
    };
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail);
      // A TCP server that listens has an address of this kind.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(String(error.code));
}
