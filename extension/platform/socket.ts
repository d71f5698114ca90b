import type { Socket, SocketHandlers } from '../bridge/link.ts';

/** Opens a WebSocket. Its handlers are set before it can have anything to say. */
export function openSocket(url: string, { onOpen, onMessage, onClose }: SocketHandlers): Socket {
  const socket = new WebSocket(url);
  socket.onopen = () => onOpen();
  socket.onmessage = ({ data }: MessageEvent<unknown>) => onMessage(data);
  socket.onclose = ({ code }) => onClose(code);
  return {
    isOpen: () => socket.readyState === WebSocket.OPEN,
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
}
