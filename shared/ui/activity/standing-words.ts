import type { StandingApproval } from '../../approvals-api.ts';
import { argsLine } from '../calls/call-words.ts';
import { shownTime } from '../shown-time.ts';

/** What a standing approval still covers, in one line. */
export function standingWords(
  standing: Pick<StandingApproval, 'remaining' | 'until' | 'conditions'>,
  now: number,
): string {
  const { remaining, until, conditions } = standing;
  const only = argsLine(conditions);
  return [
    remaining === null ? 'any number of calls' : `${remaining} more ${remaining === 1 ? 'call' : 'calls'}`,
    until === null ? 'no end' : `until ${shownTime(until, now)}`,
    only === '' ? 'any arguments' : `only ${only}`,
  ].join(', ');
}
