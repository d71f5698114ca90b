import net from 'node:net';
import { ForgeError } from '../../../shared/errors.ts';
import { refuseHost, type AddressRules } from '../http/address-rules.ts';
import { describeFailure } from '../http/failures.ts';
import { guardedLookup, type Lookup } from '../http/guarded-lookup.ts';
import type { SshLogin } from '../job.ts';
import { placeOf } from './failures.ts';

type Endpoint = Pick<SshLogin, 'host' | 'port' | 'hostFrom'>;

const NEXT_ADDRESS_AFTER_MS = 500;

/** Where a login goes, in the form that the address rules read; they know ports and hosts, not what is spoken there. */
function addressOf(endpoint: Endpoint): URL {
  try {
    return new URL(`http://${placeOf(endpoint)}`);
  } catch (cause) {
    throw new ForgeError('upstream_unreachable', `${placeOf(endpoint)} is not an address`, { cause });
  }
}

/** Connects to a host, at an address that has been checked: the one that is checked is the one the socket gets. */
export function openSocket(
  endpoint: Endpoint,
  { ownPorts, lookup }: Pick<AddressRules, 'ownPorts'> & { lookup: Lookup },
  signal: AbortSignal,
): Promise<net.Socket> {
  const url = addressOf(endpoint);
  const rules = { hostFrom: endpoint.hostFrom, ownPorts };
  const refusal = refuseHost(url, rules);
  if (refusal !== null) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: endpoint.port,
      lookup: guardedLookup(url, { ...rules, lookup }),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      noDelay: true,
    });
    const stop = (): void => {
      socket.destroy();
      reject(signal.reason as Error); // whoever aborts gives a ForgeError
    };
    const settle = (): void => signal.removeEventListener('abort', stop);
    socket.once('connect', () => {
      settle();
      socket.removeListener('error', fail);
      resolve(socket);
    });
    const fail = (error: Error): void => {
      settle();
      reject(describeFailure(firstOf(error), { host: placeOf(endpoint), method: 'GET', stage: 'connecting' }, null));
    };
    socket.once('error', fail);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** A host with several addresses fails with one error for each. */
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}

/** Of a host behind another one only what is written can be checked, and this computer's ports are not meant. */
export function refuseBehindJump(endpoint: Endpoint): ForgeError | null {
  return refuseHost(addressOf(endpoint), { hostFrom: endpoint.hostFrom, ownPorts: () => [] });
}
