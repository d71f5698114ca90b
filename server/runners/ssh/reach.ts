import type { Duplex } from 'node:stream';
import type ssh2Module from 'ssh2';
import type { ParsedKey } from 'ssh2';
import { ForgeError } from '../../../shared/errors.ts';
import type { Lookup } from '../http/guarded-lookup.ts';
import type { SshJob, SshLogin } from '../job.ts';
import { placeOf, type Stage } from './failures.ts';
import type { KnownHosts } from './known-hosts.ts';
import { logIn, type Connection } from './login.ts';
import { openSocket, refuseBehindJump } from './open-socket.ts';
import { readPrivateKey } from './private-key.ts';

type Ssh2 = typeof ssh2Module;

interface ReachTools {
  knownHosts: KnownHosts;
  ownPorts: () => readonly number[];
  lookup: Lookup;
  signal: AbortSignal;
  stage: (stage: Stage) => void;
}

/** A connection to the target, with whatever it goes through. */
export interface Reached {
  connection: Connection;
  close(): void;
}

/** The library is only needed by whoever uses ssh. It is CommonJS, so everything it has is its default export. */
async function loadSsh2(): Promise<Ssh2> {
  return (await import('ssh2')).default;
}

/** Logs in to the target, by way of the jump host where there is one. */
export async function reach({ target, jump }: SshJob, tools: ReachTools): Promise<Reached> {
  const ssh2 = await loadSsh2();
  const { signal, stage } = tools;
  const keyOf = (login: SshLogin) => readPrivateKey(login, ssh2.utils.parseKey);
  const targetKey = await keyOf(target);
  const jumpKey = jump === null ? null : await keyOf(jump);
  const direct = async (login: SshLogin, privateKey: ParsedKey | null): Promise<Connection> => {
    stage({ kind: 'connect', host: placeOf(login) });
    const socket = await openSocket(login, tools, signal);
    stage({ kind: 'login', host: placeOf(login) });
    return logIn(login, socket, '', { ...tools, ssh2, privateKey });
  };
  if (jump === null) {
    const connection = await direct(target, targetKey);
    return { connection, close: () => connection.close() };
  }
  const refusal = refuseBehindJump(target);
  if (refusal !== null) throw refusal;
  const first = await direct(jump, jumpKey);
  try {
    stage({ kind: 'connect', host: placeOf(target) });
    const socket = await forward(first, target, jump, signal);
    stage({ kind: 'login', host: placeOf(target) });
    const connection = await logIn(target, socket, placeOf(jump), { ...tools, ssh2, privateKey: targetKey });
    return {
      connection: { ...connection, isOpen: () => connection.isOpen() && first.isOpen() },
      close: () => {
        connection.close();
        first.close();
      },
    };
  } catch (error) {
    first.close();
    throw error;
  }
}

/** A stream through the jump host to the target. */
function forward({ client }: Connection, target: SshLogin, jump: SshLogin, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    // Whoever aborts gives a ForgeError.
    const stop = (): void => reject(signal.reason as ForgeError);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      stop();
      return;
    }
    client.forwardOut('127.0.0.1', 0, target.host, target.port, (cause, stream) => {
      signal.removeEventListener('abort', stop);
      if (cause === undefined) {
        resolve(stream);
        return;
      }
      const message = `${placeOf(jump)} cannot reach ${placeOf(target)}: ${cause.message}`;
      const hint = 'Check the address, and that the jump host may forward connections.';
      reject(new ForgeError('upstream_unreachable', message, { hint, cause }));
    });
  });
}
