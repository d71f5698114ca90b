import type { CallRow } from './calls-api.ts';

/** True for a call that a person was asked about and denied, whether or not its caller came back for the answer. */
export function isDenied({ code, approval }: Pick<CallRow, 'code' | 'approval'>): boolean {
  return code === 'approval_denied' || (code === 'approval_required' && approval === 'denied');
}
