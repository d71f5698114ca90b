import type { ClientChannel } from 'ssh2';

/** Whether a host ends a command when it is told to. */
export type RemoteSignals = 'honoured' | 'ignored' | 'unknown';

export interface RemoteEnd {
  signals: RemoteSignals;
  /** How long the host is waited for after each step. */
  endMs: number;
}

/** OpenSSH has passed on signals since 7.9, and since 9.8 to commands of root as well. */
const SINCE = 7.09;
const SINCE_FOR_ROOT = 9.08;
const INTERRUPT = '\u0003';

/** What is known of a host by the name of its software and by who has logged in. */
export function remoteSignals(software: string, username: string): RemoteSignals {
  if (/^dropbear/i.test(software)) return 'honoured';
  const [, major, minor] = /^OpenSSH_(\d+)\.(\d+)/.exec(software) ?? [];
  if (major === undefined || minor === undefined) return 'unknown';
  const version = Number(major) + Number(minor) / 100;
  return version >= (username === 'root' ? SINCE_FOR_ROOT : SINCE) ? 'honoured' : 'ignored';
}

/**
 * Ends what runs in a channel and hangs up: the command is asked to end, then killed. Where a host ignores signals the command has a terminal: it is
 * interrupted there, and hanging up ends what runs in it.
 */
export async function endRemote(channel: ClientChannel, isPrompt: boolean, end: RemoteEnd): Promise<void> {
  // A command line of an appliance has its own idea of signals, and is left to hang up by itself.
  const isTold = end.signals === 'honoured' || (end.signals === 'unknown' && !isPrompt);
  if (isTold) {
    // A shell that waits at its prompt ignores TERM.
    channel.signal(isPrompt ? 'HUP' : 'TERM');
    if (!(await isOver(channel, end.endMs))) {
      channel.signal('KILL');
      await isOver(channel, end.endMs);
    }
  } else if (!isPrompt && channel.writable) {
    // A host that hears of the end of the channel first no longer passes it on.
    channel.write(INTERRUPT);
    await isOver(channel, end.endMs);
  }
  channel.close();
}

/** True when the command has ended before the time is up. */
function isOver(channel: ClientChannel, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), ms);
    const over = (): void => settle(true);
    const settle = (isEnded: boolean): void => {
      clearTimeout(timer);
      channel.off('exit', over);
      channel.off('close', over);
      resolve(isEnded);
    };
    channel.once('exit', over);
    channel.once('close', over);
  });
}
