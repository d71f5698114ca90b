import type { Settled } from '../approvals/decision-waits.ts';
import type { CallAnswer } from './call-tool.ts';

/** A call that a person has to approve first. */
export type WaitingCall = Extract<CallAnswer, { kind: 'approval' }>;

/** A host may have to be allowed, then the call itself; more questions than this would never end. */
const MAX_QUESTIONS = 3;

interface SettleOptions {
  /** Makes the call, with the approval that it comes back with. */
  once: (approvalId: string | undefined) => Promise<CallAnswer>;
  /** Puts the question to a person and waits for the answer. */
  settle: (question: WaitingCall) => Promise<Settled | undefined>;
  /** An approval that the caller has already. */
  approvalId?: string | undefined;
}

/** Calls, and calls again each time a person has decided: what they said is an answer of the repeated call. */
export async function callUntilSettled({ once, settle, approvalId }: SettleOptions): Promise<CallAnswer> {
  let outcome = await once(approvalId);
  for (let asked = 0; outcome.kind === 'approval' && asked < MAX_QUESTIONS; asked += 1) {
    if (outcome.wasHeld === true) break;
    if ((await settle(outcome)) !== 'decided') break;
    outcome = await once(outcome.approvalId);
  }
  return outcome;
}
