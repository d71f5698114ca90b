import type { LinkState } from '../bridge/link-state.ts';

/** What the popup and the options page show; sent whenever it changes. */
export interface WorkerState {
  readonly link: LinkState;
  readonly address: string;
  readonly paused: boolean;
  readonly userScripts: boolean;
  /** What is running, by title. */
  readonly running: readonly string[];
  /** Sites a call needed and the person has not allowed. */
  readonly wanted: readonly string[];
  readonly notices: readonly Notice[];
}

export interface Notice {
  readonly title: string;
  readonly message: string;
  readonly url: string | null;
}

export type FromPage =
  | { kind: 'connect'; ticket?: string }
  | { kind: 'pause'; paused: boolean }
  /** The person may have changed something the browser does not tell about. */
  | { kind: 'check' }
  | { kind: 'dismiss' };
