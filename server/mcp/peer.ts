import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Approval } from '../approvals/approval.ts';
import type { CallerLimits } from '../tools/caller-limits.ts';
import type { Scope } from '../tools/catalogue/tool-views.ts';
import type { KnownSites } from '../tools/sites-read.ts';

/** Who may talk: the owner, whose client says itself what it is called, or a client that a person has named. */
export interface Identity {
  /** Null for the owner. */
  clientId: string | null;
  name: string | null;
  limits?: CallerLimits | undefined;
}

/** Whoever has Forge's own token. */
export const OWNER: Identity = { clientId: null, name: null };

export type Decision = 'approve' | 'deny' | 'later';

/** Puts an approval to the person in front of the client, until `moot` says that it was decided elsewhere. */
export type Ask = (approval: Approval, moot: StopSignal) => Promise<Decision>;

/** The other side of one request, whichever revision of the protocol it speaks. */
export interface Peer {
  /** What the call log calls it. */
  name: string;
  /** What it may call, and what of it is listed. */
  scope: Scope;
  /** The revision of the protocol, which is a date. */
  version: string;
  signal: StopSignal;
  /** Null when nobody wants to know how far it is. */
  progress: ((message: string) => void) | null;
  /** What a tool prints, for whoever asked to see it; null when nobody has. */
  log: ((level: 'info' | 'warning', logger: string, text: string) => void) | null;
  /** Null when the client cannot ask anybody. */
  ask: Ask | null;
  /** Sites whose content the model behind it has read: a change to another one is put to a person. */
  read: KnownSites;
  /** Told of the watch that a call has left behind; null when nobody wants to know. */
  onWatch: ((watchId: string) => void) | null;
  /** The approval that an earlier attempt at the same call ended with. */
  resumes: string | null;
}

/** Progress has to grow with every message of a request, whoever sends it. */
export function countProgress(send: (progress: number, message: string) => void): (message: string) => void {
  let count = 0;
  return (message) => {
    count += 1;
    send(count, message);
  };
}

const MAX_NAME = 100;

/** The name in the call log: the one a person gave, else what the client calls itself. */
export function peerName({ name }: Identity, info: unknown): string {
  if (name !== null) return name;
  const own = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined;
  return typeof own === 'string' && own.trim() !== '' ? own.trim().slice(0, MAX_NAME) : 'mcp';
}
