import type { Allowed, Asking } from '../../shared/bridge-approvals.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';

/** What a request needs besides its params. */
export interface RouteOptions {
  /** The browser's id or name; without one Forge chooses. */
  browser?: string | undefined;
  /** Whose call it is: where a connector worked last, it is sent again. */
  connector: string;
  /** How much longer than `timeout_ms` the answer may take, because a person is asked first. */
  extraMs?: number;
  signal: StopSignal;
  /** Masks the secrets of the call in what the browser reports; without it, Forge's own. */
  redact?: (text: string) => string;
  /** Told at most once, when the person has said that later calls need not ask; only while this one is under way. */
  onAllowed?: (allowed: Allowed) => void;
  /** Told when the browser asks the person, and when they have answered there. */
  onAsking?: (state: Asking['state']) => void;
}

/** The same once a browser is found. */
export interface SendLimits {
  limitMs: number;
  signal: StopSignal;
  onAllowed?: RouteOptions['onAllowed'];
  onAsking?: RouteOptions['onAsking'];
  redact?: RouteOptions['redact'];
  /** False for a question that says nothing about where a person works. */
  isUse?: boolean;
}
