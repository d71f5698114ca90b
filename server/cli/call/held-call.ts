import type { ToolSummary } from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../client.ts';
import { stopSignal } from '../stop-signal.ts';
import { safeLine } from '../terminal.ts';
import { postCall, type CallBody, type CallReply, type Waiting } from './post-call.ts';
import { startProgress, type Progress } from './progress.ts';
import { canAsk, settleApproval, type Settled } from './settle-approval.ts';

interface HeldCall {
  toolId: string;
  tool: ToolSummary | undefined;
  body: CallBody;
  /** The person's yes came with the command. */
  yes: boolean;
}

/**
 * Makes a call. Forge holds it while a person decides, here if there is a keyboard, or wherever they look: whoever answers first decides. Ctrl-C stops the call, not
 * only the waiting for it: Forge ends what it has started, and withdraws its question.
 */
export async function callHeld(cli: Cli, forge: Connection, call: HeldCall): Promise<CallReply | 'denied'> {
  const { io } = cli;
  const { toolId, tool, body } = call;
  const stop = stopSignal(io);
  const questions = createQuestions(cli, forge, call);
  const isWatched = tool?.protocol === 'shell' || tool?.protocol === 'ssh';
  const streams = isWatched && io.stderr.isTTY === true;
  // A Forge that ends with this command can be asked by nobody else, so it says at once that the call waits.
  const waits = call.yes || canAsk(io) || !forge.isOwn;
  try {
    const reply = await postCall(forge, toolId, waits ? { ...body, wait_for_approval: true } : body, {
      signal: AbortSignal.any([stop.signal, questions.failed]),
      onOutput: streams ? (text) => questions.progress().output(text) : undefined,
      onWaiting: waits ? questions.ask : undefined,
    });
    return (await questions.end()) === 'denied' ? 'denied' : reply;
  } catch (error) {
    await questions.end();
    throw error;
  } finally {
    stop.dispose();
  }
}

/** What is asked while a call is held; a question ends when the call goes on, whoever has answered it. */
function createQuestions(cli: Cli, forge: Connection, { toolId, tool, yes }: HeldCall) {
  const { io, terminal } = cli;
  const where = tool?.protocol === 'browser' ? `in the browser, at ${forge.url}` : `at ${forge.url}`;
  const failure = new AbortController();
  let progress: Progress = startProgress(io, terminal, toolId);
  let moot = new AbortController();
  let asking: Promise<Settled> = Promise.resolve('approved');

  const settle = async ({ approvalId, message }: Waiting, signal: AbortSignal): Promise<Settled> => {
    const settled = await settleApproval(cli, forge, approvalId, { yes, signal });
    if (settled === 'waiting' && forge.isOwn) throw needsPerson(message);
    if (settled === 'waiting') tellWaiting(cli, { approvalId, message }, where);
    progress = startProgress(io, terminal, settled === 'waiting' ? `${toolId}, waiting for a person` : toolId);
    return settled;
  };

  return {
    progress: () => progress,
    /** Aborted when a question could not be put: nobody would answer it. */
    failed: failure.signal,
    ask: (waiting: Waiting): void => {
      progress.stop();
      moot.abort();
      moot = new AbortController();
      const { signal } = moot;
      asking = asking.then(() => settle(waiting, signal));
      asking.catch(() => failure.abort());
    },
    /** What became of the last question. */
    end: async (): Promise<Settled> => {
      moot.abort();
      try {
        return await asking;
      } finally {
        progress.stop();
      }
    },
  };
}

/** On standard error, so that the result stays alone in the output. */
function tellWaiting({ terminal }: Cli, { approvalId, message }: Waiting, where: string): void {
  terminal.note(`waiting for a person: ${safeLine(message.replace(/\.?\n/g, '. '))}`);
  terminal.err(`  Approve it ${where}, or with: ${FORGE} approvals approve ${approvalId}`);
}

/** A yes to the call is none to what somebody has changed in the connector's files. */
function needsPerson(message: string): ForgeError {
  return new ForgeError('approval_required', message, {
    hint: `Look at the changes with \`${FORGE} connector diff\`, and accept them with \`${FORGE} connector accept\`.`,
  });
}
