import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from '../../shared/bridge.ts';

let loading: Promise<WebSocketServer> | null = null;

/** Makes a WebSocket of a request; one that is not made as it should be is answered, and never resolves. */
export async function openSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> {
  const drop = () => socket.destroy();
  socket.on('error', drop);
  // Loaded with the first of them: most commands of `forge` never see one.
  loading ??= loadServer();
  const server = await loading;
  socket.off('error', drop);
  return new Promise((resolve) => server.handleUpgrade(request, socket, head, resolve));
}

async function loadServer(): Promise<WebSocketServer> {
  const ws = await import('ws');
  return new ws.WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Everything stays on this computer, where packing costs more than it saves.
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
  });
}
