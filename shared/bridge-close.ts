/** Why the server ends a socket; the numbers are those WebSocket leaves to applications. */
export const CLOSE = {
  /** Too many frames that make no sense. */
  badFrames: 4400,
  /** The key is wrong or was revoked, or a person said no to the pairing. */
  unauthorized: 4401,
  /** No hello, no answer to a ping, or a pairing nobody accepted in time. */
  silent: 4408,
  /** The same browser has connected again. */
  replaced: 4409,
  /** The extension speaks another version of the protocol. */
  protocol: 4426,
  /** Forge is stopping; WebSocket's own number for it. */
  goingAway: 1001,
  /** Forge itself is in trouble; the same. */
  internal: 1011,
} as const;

export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];
