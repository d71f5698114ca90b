import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { codeOf, describeFailure } from '../http/failures.ts';
import type { SshLogin } from '../job.ts';
import { placeOf } from './failures.ts';
import type { HostKey } from './host-key.ts';
import type { HostPlace, KnownHost } from './known-hosts.ts';

/** Says what went wrong between the first byte and being logged in. */
export function loginFailure(error: unknown, login: SshLogin, knownTypes: readonly string[]): ForgeError {
  const place = placeOf(login);
  const level = error instanceof Error && 'level' in error ? error.level : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (level === 'client-authentication') return refusedLogin(login, error);
  if (level === 'client-socket' && codeOf(error) !== '') {
    return describeFailure(error, { host: place, method: 'GET', stage: 'connecting' }, null);
  }
  // Only the types that are known were asked for.
  if (/no matching host key/i.test(reason) && knownTypes.length > 0) {
    const message = `${place} no longer has the ${knownTypes.join(' or ')} key it is known by`;
    return new ForgeError('ssh_host_key_changed', message, { hint: forgetHint(place), cause: error });
  }
  return new ForgeError('ssh_handshake_failed', `no secure connection to ${place} came about: ${reason}`, {
    cause: error,
  });
}

export function lostAtLogin(login: SshLogin): ForgeError {
  return new ForgeError('ssh_connection_lost', `${placeOf(login)} closed the connection before anybody was logged in`, {
    hint: 'Nothing was sent. The host may be busy, or may not let this computer in.',
  });
}

export function changedKey(place: HostPlace, known: KnownHost, key: HostKey): ForgeError {
  const where = placeOf(place);
  const behind = place.via === '' ? '' : ` behind ${place.via}`;
  const message =
    `the key of ${where}${behind} has changed: it was ${known.fingerprint} (${known.key_type}) and is now ` +
    `${key.fingerprint} (${key.type}). Nothing was sent, because it may be another computer that answers`;
  return new ForgeError('ssh_host_key_changed', message, { hint: forgetHint(where) });
}

function forgetHint(place: string): string {
  return (
    'Ask whoever runs the host whether its key was changed, and compare the fingerprint. ' +
    `If it is right, a person forgets the old key: ${FORGE} ssh known-hosts forget ${place}`
  );
}

function refusedLogin({ username, password, privateKey, ...login }: SshLogin, cause: unknown): ForgeError {
  const tried = [...(privateKey === null ? [] : ['key']), ...(password === null ? [] : ['password'])].join(' and ');
  return new ForgeError('ssh_auth_failed', `${placeOf(login)} does not let ${username} in with the saved ${tried}`, {
    cause,
  });
}
