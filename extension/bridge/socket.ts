/** A WebSocket, as far as it is used. */
export interface Socket {
  isOpen: () => boolean;
  send: (text: string) => void;
  close: () => void;
}

export interface SocketHandlers {
  onMessage: (data: unknown) => void;
  onClose: (code: number) => void;
}
