import { isDenied } from '../../../../shared/denied-call.ts';
import type { CallRow } from '../../api.ts';
import { safeLine } from '../../terminal.ts';

/** The code of what went wrong; a question that was denied has its own. */
export function failureCode(call: Pick<CallRow, 'outcome' | 'code' | 'approval'>): string {
  return isDenied(call) ? 'approval_denied' : safeLine(call.code ?? call.outcome);
}
