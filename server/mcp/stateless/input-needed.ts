import { ownValue } from '../../../shared/json.ts';
import type { Approval } from '../../approvals/approval.ts';
import { decisionOf } from '../ask-person.ts';
import type { Ask, Peer } from '../peer.ts';

/** Questions are named by the approval they are about. */
const APPROVAL = /^apr_[0-9a-f]{16}$/;

/** Thrown to end a request with a question; the client comes back with the answer and the same request. */
export class InputNeeded extends Error {
  readonly approval: Approval;

  constructor(approval: Approval) {
    super('a person has to answer first');
    this.approval = approval;
  }
}

/** What a person has answered may have come with the request; else the request ends with the question. */
export function askWith(responses: Readonly<Record<string, unknown>> = {}): Pick<Peer, 'resumes'> & { ask: Ask } {
  return {
    resumes: Object.keys(responses).find((key) => APPROVAL.test(key)) ?? null,
    ask: (approval) => {
      const given = ownValue(responses, approval.id);
      return isAnswer(given) ? Promise.resolve(decisionOf(given)) : Promise.reject(new InputNeeded(approval));
    },
  };
}

/** What is no answer at all is asked for again. */
function isAnswer(given: unknown): boolean {
  const action = ownValue(given, 'action');
  return action === 'accept' || action === 'decline' || action === 'cancel';
}

/** For a client that cannot ask anybody. */
export const NOBODY: Pick<Peer, 'ask' | 'resumes'> = { ask: null, resumes: null };
