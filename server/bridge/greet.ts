import { BRIDGE_PROTOCOL, type Hello } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import type { Browser, Browsers } from './browsers.ts';
import type { Pairing, Pairings } from './pairings.ts';

/** Who a browser turns out to be: paired, paired just now by its ticket, or one that a person has to accept. */
export type Greeting =
  | { kind: 'known'; browser: Browser }
  | { kind: 'ticket'; browser: Browser; key: string }
  | { kind: 'stranger'; pairing: Pairing; dropped: Pairing[] };

interface GreetDeps {
  browsers: Browsers;
  pairings: Pairings;
  log: Log;
}

/** Decides about a hello. A key opens only for the very extension and profile it was given to. */
export function greet(hello: Hello, origin: string, { browsers, pairings, log }: GreetDeps): Greeting {
  if (hello.protocol !== BRIDGE_PROTOCOL) {
    throw new ForgeError(
      'bridge_protocol',
      `the extension speaks protocol ${hello.protocol}, and this Forge speaks ${BRIDGE_PROTOCOL}`,
    );
  }
  const owner = hello.key === null ? null : browsers.withKey(hello.key);
  const problem = owner === null ? null : mismatch(owner, hello, origin);
  if (owner !== null && problem === null) return { kind: 'known', browser: browsers.connected(owner.id, hello) };
  if (hello.ticket !== null && pairings.useTicket(hello.ticket)) {
    return { kind: 'ticket', ...browsers.add(browsers.newId(), origin, hello) };
  }
  if (hello.key === null) return { kind: 'stranger', ...pairings.open(origin, hello) };
  if (owner !== null) {
    log.warn(
      { browser: owner.id, name: owner.name, origin, problem },
      'the key of a paired browser was used by another one',
    );
  }
  throw new ForgeError('unauthorized', 'this browser is not paired with Forge, or its pairing was revoked', {
    hint: 'Press Connect in the extension’s popup to pair it again.',
  });
}

function mismatch(owner: Browser, hello: Hello, origin: string): string | null {
  if (owner.origin !== origin) return 'another extension';
  return owner.browser_id === hello.browser_id ? null : 'another browser or profile';
}
