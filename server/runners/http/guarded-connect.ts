import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { ForgeError } from '../../../shared/errors.ts';
import { refuseAddress, refuseHost, type AddressRules } from './address-rules.ts';
import { CONNECT_TIMEOUT_MS } from './failures.ts';

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Lookup = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, addresses: readonly dns.LookupAddress[]) => void,
) => void;

/** The system's own resolver, so that /etc/hosts and search domains count. */
export const systemLookup: Lookup = (hostname, options, callback) => {
  dns.lookup(hostname, options, callback);
};

interface GuardOptions extends AddressRules {
  verifyTls: boolean;
  lookup: Lookup;
}

// Long enough for a far-away server, short enough to get past an address family that leads nowhere.
const NEXT_ADDRESS_AFTER_MS = 500;

/**
 * Makes the connections to one origin, only ever to addresses that were checked: the list that was checked is the list the socket
 * gets, so a name that changes its answer in between has no effect.
 */
export function guardedConnect(origin: URL, options: GuardOptions): buildConnector.connector {
  const connect = buildConnector({
    rejectUnauthorized: options.verifyTls,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: guardedLookup(origin, options),
  });
  return (target, callback) => {
    const refusal = refuseHost(origin, options);
    if (refusal === null) connect(target, callback);
    else process.nextTick(callback, refusal, null);
  };
}

/**
 * Resolves names for a socket and leaves out the addresses it may not connect to; with none left the name is refused. Leaving out
 * rather than refusing outright keeps names such as nas.local working, which have a link-local address beside the useful one.
 */
export function guardedLookup(origin: URL, options: AddressRules & { lookup: Lookup }): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    options.lookup(hostname, { all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const refusals = addresses.map(({ address }) => refuseAddress(origin, address, options));
      const allowed = addresses.filter((_, index) => refusals[index] === null);
      const [first] = allowed;
      if (first === undefined) callback(refusals[0] ?? nothingFound(hostname), []);
      else if (lookupOptions.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function nothingFound(hostname: string): ForgeError {
  return new ForgeError('upstream_unreachable', `${hostname} has no address`);
}
