import type { Duplex } from 'node:stream';
import type ssh2Module from 'ssh2';
import type { AnyAuthMethod, Client, ConnectConfig, KeyboardInteractiveAuthMethod, ParsedKey } from 'ssh2';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import type { SshLogin } from '../job.ts';
import { remoteSignals, type RemoteSignals } from './end-remote.ts';
import { placeOf } from './failures.ts';
import { algorithmsFor, readHostKey, type HostKey } from './host-key.ts';
import { changedKey, loginFailure, lostAtLogin } from './login-failures.ts';
import type { HostPlace, KnownHosts } from './known-hosts.ts';

type Ssh2 = typeof ssh2Module;

/** A host somebody is logged in to. */
export interface Connection {
  client: Client;
  isOpen: () => boolean;
  signals: RemoteSignals;
  /** Says goodbye, and lets go of the socket whatever the host does. */
  close(): void;
}

interface LoginTools {
  ssh2: Ssh2;
  knownHosts: KnownHosts;
  /** The login's, opened. */
  privateKey: ParsedKey | null;
  signal: AbortSignal;
}

/** Two missed answers in a row, and the host is gone. */
const KEEPALIVE = { keepaliveInterval: 10_000, keepaliveCountMax: 2 };

/** A host that is gone does not answer a goodbye. */
const GOODBYE_MS = 1000;

/** Proves who the host is, then who the person is. */
export function logIn(login: SshLogin, socket: Duplex, via: string, tools: LoginTools): Promise<Connection> {
  const { ssh2, knownHosts, signal, privateKey } = tools;
  const place: HostPlace = { host: login.host, port: login.port, via };
  const client = new ssh2.Client();
  const knownTypes = knownHosts.typesOf(place);
  const algorithms = algorithmsFor(knownTypes);
  let offered: HostKey | null = null;
  let refusal: ForgeError | null = null;
  return new Promise((resolve, reject) => {
    let isOpen = true;
    let isSettled = false;
    const close = (): void => {
      isOpen = false;
      client.end();
      setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
    };
    const fail = (error: ForgeError): void => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', stop);
      close();
      reject(error);
    };
    // Whoever aborts gives a ForgeError.
    const stop = (): void => fail(signal.reason as ForgeError);
    client.on('error', (error) => {
      isOpen = false;
      fail(refusal ?? loginFailure(error, login, knownTypes));
    });
    client.on('close', () => {
      isOpen = false;
      fail(refusal ?? lostAtLogin(login));
    });
    client.on('handshake', () => {
      if (offered === null) return;
      // Another connection may have seen this host for the first time meanwhile, and with another key.
      refusal = judge(offered, place, knownHosts);
      if (refusal !== null) fail(refusal);
      // Only now has the host proved that the key is its own.
      else knownHosts.remember(place, offered);
    });
    client.on('ready', () => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', stop);
      // The library knows the name of the host's software and does not show it.
      const software = (client as unknown as { _remoteVer?: string })._remoteVer ?? '';
      resolve({ client, isOpen: () => isOpen, signals: remoteSignals(software, login.username), close });
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      stop();
      return;
    }
    const config: ConnectConfig = {
      sock: socket,
      username: login.username,
      authHandler: waysIn(login, privateKey),
      // The deadline of the call covers it.
      readyTimeout: 0,
      ...KEEPALIVE,
      ...(algorithms === undefined ? {} : { algorithms: { serverHostKey: algorithms } }),
      hostVerifier: (key: Buffer) => {
        offered = readHostKey(key);
        refusal = offered === null ? unreadableKey(login) : judge(offered, place, knownHosts);
        return refusal === null;
      },
    };
    try {
      client.connect(config);
    } catch (error) {
      fail(isForgeError(error) ? error : loginFailure(error, login, knownTypes));
    }
  });
}

function waysIn({ username, password }: SshLogin, key: ParsedKey | null): AnyAuthMethod[] {
  const ways: AnyAuthMethod[] = key === null ? [] : [{ type: 'publickey', username, key }];
  if (password === null) return ways;
  // The one question it can answer; a second factor is a person's.
  const prompt: KeyboardInteractiveAuthMethod['prompt'] = (_name, _text, _language, prompts, answer) =>
    answer(prompts.length === 1 ? [password] : []);
  return [...ways, { type: 'password', username, password }, { type: 'keyboard-interactive', username, prompt }];
}

function judge(key: HostKey, place: HostPlace, knownHosts: KnownHosts): ForgeError | null {
  const found = knownHosts.check(place, key);
  return typeof found === 'string' ? null : changedKey(place, found.changed, key);
}

function unreadableKey(login: SshLogin): ForgeError {
  return new ForgeError('ssh_handshake_failed', `the key of ${placeOf(login)} cannot be read`);
}
