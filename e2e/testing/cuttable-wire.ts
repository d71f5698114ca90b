import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Wire {
  port: number;
  /** Ends every connection that goes through it now. */
  cut(): void;
  close(): Promise<void>;
}

/** A wire to the server that can be cut. The Host that the server expects is the wire's own, so it is put right on the way. */
export async function startWire(target: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.once('data', (first) => {
      upstream.write(first.toString('latin1').replace(/^Host: .*$/im, `Host: 127.0.0.1:${target}`), 'latin1');
      client.pipe(upstream);
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
