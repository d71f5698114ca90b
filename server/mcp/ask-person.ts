import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { isRecord } from '../../shared/json.ts';
import { plainText } from '../../shared/ui/plain-text.ts';
import type { Approval } from '../approvals/approval.ts';
import type { Decision } from './peer.ts';

const MAX_ARGS = 2000;

/**
 * The question as a form. Its one field is off and has to be switched on: a client that accepts forms by itself, or fills in defaults,
 * has thereby approved nothing.
 */
export function approvalForm({ kind, reason, tool_id, args, host }: Approval): ElicitRequestFormParams {
  const about = host === null ? '' : `\nHost: ${host}`;
  const shown = JSON.stringify(args, null, 1);
  const cut =
    shown.length > MAX_ARGS ? `${shown.slice(0, MAX_ARGS)}… (${shown.length - MAX_ARGS} more characters)` : shown;
  return {
    mode: 'form',
    message: plainText(`${reason}\nTool: ${tool_id}${about}\nArguments: ${cut}`),
    requestedSchema: {
      type: 'object',
      properties: {
        approve: {
          type: 'boolean',
          title: kind === 'change' ? 'Accept the changes' : 'Allow it this once',
          description: 'Off: the call is refused.',
          default: false,
        },
      },
      required: ['approve'],
    },
  };
}

/** What the person has decided. A form that was closed decides nothing: the question goes on waiting. */
export function decisionOf(result: unknown): Decision {
  if (!isRecord(result)) return 'later';
  const { action, content } = result;
  if (action === 'decline') return 'deny';
  if (action !== 'accept') return 'later';
  return isRecord(content) && content['approve'] === true ? 'approve' : 'deny';
}

/** Whether a client can show a form; an empty object counts, as it did before there were other ways to ask. */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isRecord(elicitation)) return false;
  return elicitation['form'] !== undefined || Object.keys(elicitation).length === 0;
}
