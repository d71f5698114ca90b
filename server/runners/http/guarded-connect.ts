import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { refuseHost, type AddressRules } from './address-rules.ts';
import { CONNECT_TIMEOUT_MS } from './failures.ts';
import { guardedLookup, type Lookup } from './guarded-lookup.ts';

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

/** The same, and tells when the name is resolved and when the connection is there. A host that is an address needs no name. */
export function watchedConnect(
  origin: URL,
  options: GuardOptions,
  tell: (stage: 'resolve' | 'connect') => void,
): buildConnector.connector {
  let isResolved = false;
  const resolved = (): void => {
    if (!isResolved) tell('resolve');
    isResolved = true;
  };
  const lookup: Lookup = (hostname, given, callback) =>
    options.lookup(hostname, given, (error, addresses) => {
      if (error === null) resolved();
      callback(error, addresses);
    });
  const connect = guardedConnect(origin, { ...options, lookup });
  return (target, callback) => {
    if (isIP(target.hostname.replace(/^\[|\]$/g, '')) !== 0) resolved();
    connect(target, (...result) => {
      if (result[0] === null) tell('connect');
      callback(...result);
    });
  };
}
