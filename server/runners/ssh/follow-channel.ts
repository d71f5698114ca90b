import type { ClientChannel } from 'ssh2';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { floodFailure } from './failures.ts';
import type { StreamName, Transcript } from './transcript.ts';

/** How a channel ended: by the exit of what ran in it, or by losing it. */
export interface ChannelEnd {
  exit: { code: number | null; signal: string | null } | null;
}

/** Null is success. */
export type Verdict = ForgeError | null;

interface Reader {
  /** Text has come; a verdict ends the reading. */
  text(text: string): void;
  closed(end: ChannelEnd): Verdict;
}

interface FollowTools {
  transcript: Transcript;
  /** Ends the reading; its reason is the verdict. */
  signal: AbortSignal;
  host: string;
}

/** Reads a channel until the reader has come to a verdict, the channel has ended or somebody stops it. */
export function followChannel(
  channel: ClientChannel,
  { transcript, signal, host }: FollowTools,
  makeReader: (finish: (verdict: Verdict) => void) => Reader,
): Promise<Verdict> {
  return new Promise((resolve) => {
    let isOver = false;
    let exit: ChannelEnd['exit'] = null;
    const finish = (verdict: Verdict): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', stop);
      resolve(verdict);
    };
    // Whoever aborts gives a ForgeError.
    const stop = (): void => finish(signal.reason as ForgeError);
    const reader = makeReader(finish);
    const guarded = (work: () => void): void => {
      if (isOver) return;
      try {
        work();
      } catch (error) {
        finish(isForgeError(error) ? error : new ForgeError('internal', 'what the host printed could not be read', { cause: error })); // prettier-ignore
      }
    };
    const read = (stream: StreamName) => (bytes: Buffer) =>
      guarded(() => {
        const text = transcript.add(stream, bytes);
        if (transcript.isFlooded) finish(floodFailure(host, transcript));
        else if (text !== '') reader.text(text);
      });
    channel.on('data', read('stdout'));
    channel.stderr.on('data', read('stderr'));
    channel.on('exit', (code: number | null, name?: string) => {
      exit = { code, signal: name ?? null };
    });
    channel.on('error', () => channel.close());
    channel.on('close', () =>
      guarded(() => {
        const rest = transcript.endStreams();
        if (rest !== '') reader.text(rest);
        if (signal.aborted) stop();
        else finish(reader.closed({ exit }));
      }),
    );
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
