import { randomBytes } from 'node:crypto';
import { ForgeError } from '../../../shared/errors.ts';
import type { Identity } from '../peer.ts';
import { Session, type SessionOptions } from './session.ts';

interface StoreOptions {
  now?: () => number;
  newId?: () => string;
  maxSessions?: number;
  /** So that one client cannot end the sessions of all others. */
  maxPerClient?: number;
  idleMs?: number;
}

interface Held {
  session: Session;
  usedAt: number;
}

const DAY_MS = 24 * 60 * 60_000;

export type SessionStore = ReturnType<typeof createSessionStore>;

/** The sessions of all clients. Many clients never say goodbye, so those that were silent for long make room. */
export function createSessionStore(options: StoreOptions = {}) {
  const { now = Date.now, newId = () => randomBytes(16).toString('hex'), idleMs = DAY_MS } = options;
  const { maxSessions = 500, maxPerClient = 100 } = options;
  // In the order in which they were last used.
  const held = new Map<string, Held>();
  const drop = (id: string, reason: string | ForgeError): void => {
    held.get(id)?.session.end(typeof reason === 'string' ? new ForgeError('cancelled', reason) : reason);
    held.delete(id);
  };
  const makeRoom = (clientId: string | null): void => {
    const own = [...held].filter(([, { session }]) => session.isOf(clientId));
    for (const [id] of own.slice(0, Math.max(0, own.length - maxPerClient + 1))) drop(id, 'the client has too many');
    for (const [id, { session, usedAt }] of held) {
      const isIdle = now() - usedAt >= idleMs && !session.isListening;
      if (isIdle || held.size >= maxSessions) drop(id, 'the session was idle for too long');
    }
  };

  return {
    open(about: Omit<SessionOptions, 'id'>): { id: string; session: Session } {
      makeRoom(about.identity.clientId);
      const id = newId();
      const session = new Session({ ...about, id });
      held.set(id, { session, usedAt: now() });
      return { id, session };
    },
    /** A session by its id, for the client it belongs to: another one must not use it, even if it has got hold of the id. */
    find(id: string, identity: Identity): Session | null {
      const session = held.get(id)?.session;
      if (session?.isOf(identity.clientId) !== true) return null;
      session.resume(identity);
      held.delete(id);
      held.set(id, { session, usedAt: now() });
      return session;
    },
    end: (id: string): void => drop(id, 'the client ended the session'),
    /** A client that was taken back loses its sessions with it. */
    endOf(clientId: string, reason: ForgeError): void {
      for (const [id, { session }] of held) if (session.isOf(clientId)) drop(id, reason);
    },
    all: (): Session[] => Array.from(held.values(), ({ session }) => session),
    of: (clientId: string): Session[] =>
      Array.from(held.values(), ({ session }) => session).filter((session) => session.isOf(clientId)),
  };
}
