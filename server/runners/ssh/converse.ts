import type { Client, ClientChannel } from 'ssh2';
import type { SshJob } from '../job.ts';
import type { After } from '../shell/run-process.ts';
import { endRemote, type RemoteEnd } from './end-remote.ts';
import {
  answersFailure,
  exitFailure,
  lostFailure,
  matchedFailure,
  notDoneFailure,
  refusedChannel,
  type Stage,
} from './failures.ts';
import { followChannel, type ChannelEnd, type Verdict } from './follow-channel.ts';
import { Listener, type Heard } from './listener.ts';
import type { Transcript } from './transcript.ts';

/** What a conversation with a host needs besides the job. */
export interface Talk {
  client: Client;
  isConnected: () => boolean;
  job: SshJob;
  /** How messages name the host. */
  host: string;
  transcript: Transcript;
  signal: AbortSignal;
  after: After;
  /** A prompt counts when nothing follows it for this long: a progress bar may look like one for a moment. */
  quietMs: number;
  /** How what still runs is ended when the call is over. */
  end: RemoteEnd;
  stage: (stage: Stage) => void;
}

/** Wide and high: a narrow terminal breaks lines, and a low one asks to turn the page. */
const WINDOW = { term: 'dumb', cols: 511, rows: 1000, width: 0, height: 0 };

/** Types the commands at the host's prompt, one after the other. */
export async function converse(talk: Talk): Promise<Verdict> {
  const { client, job, host, transcript, after, quietMs } = talk;
  talk.stage({ kind: 'prompt' });
  let sent = 0;
  // Back at its prompt, with nothing to end.
  let isIdle = false;
  let cancelQuiet = (): void => undefined;
  const read = (channel: ClientChannel) =>
    followChannel(channel, talk, (finish) => {
      const listener = new Listener(job, (text) => channel.write(text));
      const next = (): void => {
        const line = job.commands[sent];
        if (line !== undefined) {
          sent += 1;
          talk.stage({ kind: 'command', line, isPrompted: true });
          listener.command(line);
        } else if (job.doneWhen === null) {
          isIdle = true;
          finish(null);
        } else talk.stage({ kind: 'done' });
      };
      return {
        text: (text) => {
          cancelQuiet();
          const heard = listener.hear(text);
          if (heard?.kind === 'prompt') cancelQuiet = after(quietMs, next);
          else if (heard !== null) finish(verdictOf(heard, host, transcript));
        },
        closed: (end) => shellClosed(end, talk, sent),
      };
    });
  const leave = (channel: ClientChannel) => (isIdle ? channel.close() : endRemote(channel, true, talk.end));
  const verdict = await inChannel(talk, (done) => client.shell(WINDOW, done), read, leave);
  cancelQuiet();
  return verdict instanceof ChannelRefused ? channelFailure(talk, verdict, null) : verdict;
}

/** Runs the commands without a terminal's prompt, each in a channel of its own; its exit code counts. */
export async function runCommands(talk: Talk): Promise<Verdict> {
  const { client, job, host, transcript } = talk;
  // Most programs ask nobody where there is no terminal; where a host ignores signals, only a terminal's end is theirs too.
  const hasTerminal = job.autoAnswer.length > 0 || talk.end.signals === 'ignored';
  const options = hasTerminal ? { pty: WINDOW } : {};
  const leave = (channel: ClientChannel) => endRemote(channel, false, talk.end);
  const seen = { done: false };
  for (const [index, line] of job.commands.entries()) {
    talk.stage({ kind: 'command', line, isPrompted: false });
    const isLast = index === job.commands.length - 1;
    const read = (channel: ClientChannel) =>
      followChannel(channel, talk, (finish) => {
        const listener = new Listener(job, (text) => channel.write(text));
        listener.started();
        return {
          text: (text) => {
            const heard = listener.hear(text);
            if (heard === null || heard.kind === 'prompt') return;
            seen.done = heard.kind === 'done';
            finish(verdictOf(heard, host, transcript));
          },
          closed: (end) => commandClosed(end, talk, line, isLast),
        };
      });
    const verdict = await inChannel(talk, (done) => client.exec(line, options, done), read, leave);
    if (verdict instanceof ChannelRefused) return channelFailure(talk, verdict, index === 0 ? null : line);
    if (verdict !== null || seen.done) return verdict;
  }
  return null;
}

function verdictOf(heard: Exclude<Heard, { kind: 'prompt' }>, host: string, transcript: Transcript): Verdict {
  switch (heard.kind) {
    case 'done':
      return null;
    case 'failed':
      return matchedFailure(host, heard.line, transcript);
    case 'too-many-answers':
      return answersFailure(host, transcript);
  }
}

function shellClosed({ exit }: ChannelEnd, { job, host, transcript }: Talk, sent: number): Verdict {
  const line = job.commands[sent - 1] ?? null;
  const isAllSent = sent === job.commands.length && line !== null;
  if (isAllSent && mayClose(exit, job)) return null;
  if (!isAllSent || exit === null) return lostFailure(host, line, transcript);
  return exited(line, exit, job, transcript);
}

function commandClosed({ exit }: ChannelEnd, { job, host, transcript }: Talk, line: string, isLast: boolean): Verdict {
  if (isLast && mayClose(exit, job)) return null;
  if (exit === null) return lostFailure(host, line, transcript);
  return isLast || exit.code !== 0 ? exited(line, exit, job, transcript) : null;
}

/** A host that goes down takes its programs with it; one that says why it stopped has not gone down. */
function mayClose(exit: ChannelEnd['exit'], { successOnClose }: SshJob): boolean {
  return successOnClose && (exit === null || exit.signal !== null || exit.code === 0);
}

function exited(line: string, exit: NonNullable<ChannelEnd['exit']>, job: SshJob, transcript: Transcript): Verdict {
  if (exit.code !== 0) return exitFailure(line, exit, transcript);
  return job.doneWhen === null ? null : notDoneFailure(line, transcript);
}

/** The host did not open a channel. */
class ChannelRefused extends Error {}

/** Reading begins in the same turn in which the channel opens: what a host says at once would otherwise be missed. */
function inChannel(
  { signal, end }: Talk,
  open: (done: (error: Error | undefined, channel: ClientChannel) => void) => void,
  read: (channel: ClientChannel) => Promise<Verdict>,
  leave: (channel: ClientChannel) => Promise<void> | void,
): Promise<Verdict | ChannelRefused> {
  return new Promise((resolve) => {
    let late: NodeJS.Timeout | null = null;
    // The host may have started the command already, so that its answer is worth a moment.
    const stop = (): void => {
      late = setTimeout(() => refuse(signal.reason), end.endMs);
    };
    const opened = (): void => {
      signal.removeEventListener('abort', stop);
      if (late !== null) clearTimeout(late);
    };
    const refuse = (cause: unknown): void => {
      opened();
      resolve(new ChannelRefused(cause instanceof Error ? cause.message : String(cause), { cause }));
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      open((error, channel) => {
        opened();
        if (error !== undefined) {
          refuse(error);
          return;
        }
        let isClosed = false;
        channel.once('close', () => {
          isClosed = true;
        });
        resolve(
          read(channel).then(async (verdict) => {
            if (!isClosed) await leave(channel);
            return verdict;
          }),
        );
      });
    } catch (error) {
      // ssh2 throws when the connection has just ended.
      refuse(error);
    }
  });
}

function channelFailure({ signal, host, transcript, isConnected }: Talk, cause: Error, line: string | null): Verdict {
  if (signal.aborted) return signal.reason as Verdict; // whoever aborts gives a ForgeError
  // A channel that a living connection does not open was refused.
  return isConnected() ? refusedChannel(host, cause) : lostFailure(host, line, transcript);
}
