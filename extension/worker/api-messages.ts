import type { ApiCall, ApiCallAnswer } from '../../shared/bridge-api.ts';

/** From a page of ours to the worker: ask Forge, or stop asking. Ids are the page's own. */
export type FromApiPage = { kind: 'ask'; id: number; call: ApiCall } | { kind: 'cancel'; id: number };

/** From the worker to the page that asked. */
export type ToApiPage =
  | { kind: 'answer'; id: number; result: ApiCallAnswer; body: string }
  | { kind: 'text'; id: number; text: string }
  | ({ kind: 'failed'; id: number } & ApiFailure);

/** Why there is no answer. `status` is 0 where Forge could not be asked at all. */
export interface ApiFailure {
  status: number;
  code: string;
  message: string;
  hint: string;
}
