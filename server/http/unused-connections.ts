import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes connections on which no request has ever come whole: browsers open some in advance. Node counts only those as idle that
 * have carried one.
 */
export function closesUnused(server: Server): () => void {
  const unused = new Set<Socket>();
  const use = ({ socket }: IncomingMessage): void => void unused.delete(socket);
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', use).on('upgrade', use);
  return () => {
    for (const socket of unused) socket.destroy();
  };
}
