import type { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { clipText } from '../../results/cut-text.ts';
import type { CallAnswer } from '../call-tool.ts';
import { BUILTIN } from './builtin-definitions.ts';

type Done = Extract<CallAnswer, { kind: 'done' }>;

/** A failure takes no more of a model's attention than a result may. */
const MAX_MESSAGE = 8000;
const MAX_HINT = 2000;

/** A result as a model reads it: compact, since every character of it is paid for; headers that the manifest asks for come first. */
export function doneText(outcome: Done, note: (watchId: string) => string = watchNote): string {
  const { result, json, response, handle } = outcome;
  const watched = outcome.watchId === undefined ? '' : `\n\n${note(outcome.watchId)}`;
  // Models take no empty text, and what the service answered says more than nothing.
  if (result === null || result === '') return (outcome.text().trim() || 'Done. Nothing was returned.') + watched;
  const headers = response === undefined ? [] : Object.entries(response.headers);
  const head = headers.length === 0 ? '' : `${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n`;
  const body = typeof result === 'string' ? result : json;
  const more =
    handle === undefined ? '' : `\n\nThis is its beginning. Read on with ${BUILTIN.readResult}, handle ${handle}.`;
  return `${head}${body}${more}${watched}`;
}

/** What was started goes on without the model, which would otherwise look again and again. */
export function watchNote(watchId: string): string {
  return `It goes on in the background. Forge watches it (forge://watches/${watchId}) and reports when it has ended, so do not poll it yourself; say that it has begun.`;
}

/** The same for a model that Forge cannot speak to by itself: it is told how to ask. */
export function watchNoteToAsk(watchId: string): string {
  return `It goes on in the background. Forge watches it (forge://watches/${watchId}), so do not poll it yourself; say that it has begun. How it ended cannot be told to you: read it later with ${BUILTIN.readResult}, handle ${watchId}.`;
}

/** A failure that the model can act on: what it is called, what happened, and what to do next. */
export function failureText({ code, message, hint }: Pick<ForgeError, 'code' | 'message' | 'hint'>): string {
  return `${code}: ${clipText(message, MAX_MESSAGE)}\n${clipText(hint, MAX_HINT)}`;
}

/** A call that did not run, and where the question waits. */
export function waitingFailure(
  approvalId: string,
  reason: string,
  address: string,
): Pick<ForgeError, 'code' | 'message' | 'hint'> {
  return {
    code: 'approval_required',
    message: `${reason} Nothing has been done yet.`,
    hint: `Approval ${approvalId} waits for a person in Forge (${address}, or \`${FORGE} approvals approve ${approvalId}\`). You cannot approve it yourself. Once they have, repeat exactly this call within ten minutes.`,
  };
}
