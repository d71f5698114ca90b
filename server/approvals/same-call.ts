import { hash } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import type { Approval, Lookup, StoredApproval } from './approval.ts';
import type { CallQuestion } from './approvals.ts';
import { canonicalJson } from './canonical-json.ts';

/** What an approval of this call is looked up by. */
export function lookupOf(kind: Approval['kind'], question: CallQuestion, host: string | null): Lookup {
  const { toolId: tool_id, connectorId: connector_id, caller, sessionId: session_id } = question;
  const read_from = question.readFrom === null ? null : question.readFrom.toSorted();
  const argsSha256 = hash('sha256', canonicalJson(question.args), 'hex');
  const { definitionSha256 } = question;
  return { kind, tool_id, connector_id, caller, host, session_id, read_from, argsSha256, definitionSha256 };
}

/** A yes is good for the very call it was asked about. */
export function requireSameCall(lookup: Lookup, { approval, argsSha256, definitionSha256 }: StoredApproval): void {
  const isSameTool = approval.tool_id === lookup.tool_id && approval.connector_id === lookup.connector_id;
  const isSameDefinition = definitionSha256 === lookup.definitionSha256;
  if (isSameTool && isSameDefinition && argsSha256 === lookup.argsSha256) return;
  const other = !isSameTool ? 'another tool' : isSameDefinition ? 'other arguments' : 'an earlier version of the tool';
  throw new ForgeError('approval_denied', `Approval ${approval.id} was given for ${other}.`, {
    hint: 'Repeat the call without the approval’s id to ask a person about this one.',
  });
}
