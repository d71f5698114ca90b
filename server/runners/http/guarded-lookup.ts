import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ForgeError } from '../../../shared/errors.ts';
import { refuseAddress, type AddressRules } from './address-rules.ts';

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
