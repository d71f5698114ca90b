import type { LinkState } from '../bridge/link-state.ts';
import type { WantedSite } from './permission-check.ts';

/** What the popup and the options page show; sent whenever it changes. */
export interface WorkerState {
  readonly link: LinkState;
  readonly address: string;
  readonly paused: boolean;
  readonly userScripts: boolean;
  /** What is running, by title. */
  readonly running: readonly string[];
  /** Sites a call needed and the person has not allowed. */
  readonly wanted: readonly WantedSite[];
  readonly notices: readonly Notice[];
  /** How many calls in this browser wait for a yes or no in a window of ours. */
  readonly questions: number;
}

export interface Notice {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  readonly url: string | null;
  /** The tab it is about. */
  readonly tabId: number | null;
}

export type FromPage =
  | { kind: 'connect'; ticket?: string }
  | { kind: 'pause'; paused: boolean }
  /** The person may have changed something the browser does not tell about. */
  | { kind: 'check' }
  /** The person has seen a notice. */
  | { kind: 'dismiss'; id: string }
  /** The person wants to answer what is asked in a window of ours. */
  | { kind: 'show-question' }
  /** The person wants to see what a notice is about. */
  | { kind: 'open'; id: string };
