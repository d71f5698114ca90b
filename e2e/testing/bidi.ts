import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A WebDriver BiDi session: commands by name, each with its answer. */
export interface Bidi {
  send(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

interface Waiting {
  resolve: (result: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

interface Reply {
  id?: number | null;
  result?: Record<string, unknown>;
  error?: string;
  message?: string;
}

/** Opens a session in a browser that listens at this address. */
export async function openBidi(address: string): Promise<Bidi> {
  const socket = new WebSocket(`${address}/session`, { perMessageDeflate: false });
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  socket.on('message', (data: Buffer) => {
    const { id, result, error, message } = JSON.parse(data.toString()) as Reply;
    const one = waiting.get(id ?? -1);
    waiting.delete(id ?? -1);
    if (error === undefined) one?.resolve(result ?? {});
    else one?.reject(new Error(`${error}: ${message ?? ''}`));
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser closed its BiDi connection'));
    waiting.clear();
  });
  await once(socket, 'open');
  const bidi: Bidi = {
    send(method, params = {}) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
  };
  await bidi.send('session.new', { capabilities: {} });
  return bidi;
}
