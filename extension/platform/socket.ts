import { splitFrames } from '../../shared/bridge-join.ts';
import type { Socket, SocketHandlers } from '../bridge/socket.ts';

/** Opens a WebSocket. Its handlers are set before it can have anything to say. */
export function openSocket(url: string, { onMessage, onClose }: SocketHandlers): Socket {
  const socket = new WebSocket(url);
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    for (const frame of typeof data === 'string' ? (splitFrames(data) ?? []) : []) onMessage(frame);
  };
  socket.onclose = ({ code }) => onClose(code);
  return {
    isOpen: () => socket.readyState === WebSocket.OPEN,
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
}
