import { isForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { plainText } from '../../../shared/ui/plain-text.ts';
import type { Approval } from '../api.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import type { Io } from '../io.ts';
import { confirm } from '../prompts.ts';
import { safeLine, type Terminal } from '../terminal.ts';

/** What came of a question: the call goes on and says what was decided, it was refused here, or nobody could be asked. */
export type Settled = 'approved' | 'denied' | 'waiting';

interface SettleOptions {
  /** The person's answer, given with the command. */
  yes?: boolean;
  /** Takes the question back: somebody has answered it elsewhere. */
  signal?: AbortSignal;
}

/** Puts an approval to the person at the keyboard. */
export async function settleApproval(
  { io, terminal }: Cli,
  { api }: Pick<Connection, 'api'>,
  approvalId: string,
  { yes = false, signal }: SettleOptions = {},
): Promise<Settled> {
  if (!yes && !canAsk(io)) return 'waiting';
  const approval = (await api.approvals()).find(({ id }) => id === approvalId);
  // Somebody else was faster; the repeated call tells what they said.
  if (approval === undefined) return 'approved';
  // A yes that came with the command was to the call, not to what somebody has changed in the files since.
  if (yes && approval.kind !== 'change') {
    if (await isDecided(api, approvalId, 'approve')) terminal.note(`approved ${approvalId}: ${questionOf(approval)}`);
    return 'approved';
  }
  printApproval(terminal, approval);
  if (!canAsk(io)) return 'waiting';
  const question = questionOf(approval);
  const isApproved = await confirm(io, `${question.slice(0, 1).toUpperCase()}${question.slice(1)}?`, signal);
  if (signal?.aborted === true) {
    terminal.note(`${approvalId} was decided elsewhere`);
    return 'approved';
  }
  if (!(await isDecided(api, approvalId, isApproved ? 'approve' : 'deny'))) {
    terminal.note(`${approvalId} was decided elsewhere meanwhile, or its time was over`);
    return 'approved';
  }
  return isApproved ? 'approved' : 'denied';
}

/** False when somebody else was faster, or nobody was in time: then whoever waits for the call is told. */
async function isDecided(
  api: Pick<Connection['api'], 'decide'>,
  approvalId: string,
  decision: 'approve' | 'deny',
): Promise<boolean> {
  try {
    await api.decide(approvalId, { decision });
    return true;
  } catch (error) {
    if (isForgeError(error, 'conflict') || isForgeError(error, 'approval_expired')) return false;
    throw error;
  }
}

/** On standard error, so that the result stays alone in the output. Nothing is shortened: it is what will be done. */
function printApproval({ err, paintErr }: Terminal, approval: Approval): void {
  err(paintErr('bold', safeLine(approval.tool_id)));
  for (const line of approval.reason.split('\n')) if (line !== '') err(`  ${shown(line)}`);
  if (approval.host !== null) err(`  ${paintErr('yellow', `host ${shown(approval.host)}`)}`);
  const args = isRecord(approval.args) ? Object.entries(approval.args) : [];
  for (const [name, value] of args) err(`  ${safeLine(name)} = ${plainText(JSON.stringify(value))}`);
  if (args.length === 0) err('  without arguments');
}

/** What a person decides about is shown with all of its characters. */
function shown(text: string): string {
  return safeLine(plainText(text));
}

/** What a yes allows, in a few words. */
export function questionOf({ kind, tool_id, connector_id, host }: Approval): string {
  if (kind === 'change') return `accept the changes of ${safeLine(connector_id)}`;
  return kind === 'host'
    ? `let ${safeLine(connector_id)} talk to ${shown(host ?? '')}`
    : `run ${safeLine(tool_id)} with these arguments`;
}

/** Whether there is a person at the keyboard. */
export function canAsk({ stdin, stdout, stderr }: Io): boolean {
  return stdin.isTTY === true && (stdout.isTTY === true || stderr.isTTY === true);
}
