import { isIPv6 } from 'node:net';
import { ForgeError } from '../../shared/errors.ts';
import { ownValue } from '../../shared/json.ts';
import { Secret } from '../../shared/secret.ts';
import { isEmpty } from '../../shared/template/scope.ts';
import type { SshLogin } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';
import type { HostSource } from './host-source.ts';

/** How to get into a host, and who named it. */
interface SshPlace {
  login: SshLogin;
  source: HostSource;
}

interface Found {
  value: unknown;
  from: HostSource['from'];
}

const DEFAULT_PORT = 22;
const HOST = /^(?:[\p{L}\p{N}._-]+|\[[0-9A-Fa-f:.]+\])$/u;
const USERNAME = /^[^\s\p{Cc}]{1,256}$/u;

/** host, port, username and password come from arguments, else from settings; keys from settings alone. */
export function readTarget(scope: CallScope, options: FillOptions): SshPlace {
  const text = credentials(options);
  const host = fromCall(scope, 'host') ?? fromSettings(scope, 'host');
  if (host === null) throw missing('host', 'no host is named');
  const username = fromCall(scope, 'username') ?? fromSettings(scope, 'username');
  if (username === null) throw missing('username', 'no user name is saved');
  const port = fromCall(scope, 'port') ?? fromSettings(scope, 'port');
  const password = text(fromCall(scope, 'password') ?? fromSettings(scope, 'password'));
  const privateKey = text(fromSettings(scope, 'private_key'));
  if (password === null && privateKey === null)
    throw missing('password', 'neither a password nor a private key is saved');
  const passphrase = text(fromSettings(scope, 'passphrase'));
  return place({ host, port, username, password, privateKey, passphrase }, options);
}

/** The host in between is a matter of settings alone. Its key may be the target's; a password is never sent to another host. */
export function readJump(scope: CallScope, options: FillOptions, target: SshLogin): SshPlace | null {
  const text = credentials(options);
  const host = fromSettings(scope, 'jump_host');
  if (host === null) return null;
  const port = fromSettings(scope, 'jump_port');
  const username = fromSettings(scope, 'jump_username') ?? { value: target.username, from: 'setting' };
  const password = text(fromSettings(scope, 'jump_password'));
  const ownKey = text(fromSettings(scope, 'jump_private_key'));
  const privateKey = ownKey ?? (password === null ? target.privateKey : null);
  if (password === null && privateKey === null)
    throw missing('jump_password', 'neither a password nor a private key is saved for the jump host');
  const passphrase = ownKey === null ? target.passphrase : text(fromSettings(scope, 'jump_passphrase'));
  return place({ host, port, username, password, privateKey, passphrase }, options);
}

type Parts = Pick<SshLogin, 'password' | 'privateKey' | 'passphrase'> & {
  host: Found;
  port: Found | null;
  username: Found;
};

function place({ host, port, username, ...secrets }: Parts, options: FillOptions): SshPlace {
  const text = texts(options);
  const written = splitPort((text(host) ?? '').trim());
  const isMasked = options.secrets === 'mask' && host.value instanceof Secret;
  if (!isMasked && !HOST.test(written.host))
    throw new ForgeError(
      'unsafe_value',
      'the host must be a name or an address, such as "nas.example.com" or "10.0.0.7:2222"',
    );
  const user = text(username) ?? '';
  if (!USERNAME.test(user))
    throw new ForgeError('unsafe_value', 'the user name contains a space or a control character');
  const name = written.host.replace(/^\[|\]$/g, '').toLowerCase();
  const number = port === null ? (written.port ?? DEFAULT_PORT) : readPort(text(port) ?? '');
  const from = port?.from === 'argument' ? 'argument' : host.from;
  return {
    login: {
      host: name,
      port: number,
      username: user,
      ...secrets,
      hostFrom: from === 'manifest' ? 'manifest' : 'person',
    },
    source: { host: `${isIPv6(name) ? `[${name}]` : name}:${number}`, from },
  };
}

/** An argument, and who it came from: one that says what a person has saved anyway is theirs. */
function fromCall(scope: CallScope, name: string): Found | null {
  const value = ownValue(scope.args, name);
  if (isEmpty(value)) return null;
  const isSaved = [name, `default_${name}`].some(
    (setting) => scope.saved.has(setting) && plain(ownValue(scope.settings, setting)) === plain(value),
  );
  return { value, from: isSaved ? 'setting' : 'argument' };
}

function fromSettings(scope: CallScope, name: string): Found | null {
  for (const setting of [name, `default_${name}`]) {
    const value = ownValue(scope.settings, setting);
    if (!isEmpty(value)) return { value, from: scope.saved.has(setting) ? 'setting' : 'manifest' };
  }
  return null;
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A dry run shows that there is a credential, and not which, also where an argument brought it. */
function credentials(options: FillOptions): (found: Found | null) => string | null {
  const text = texts(options);
  return (found) => (found !== null && options.secrets === 'mask' ? String(new Secret('')) : text(found));
}

function texts({ secrets }: FillOptions): (found: Found | null) => string | null {
  return (found) => {
    if (found === null) return null;
    const { value } = found;
    if (value instanceof Secret) return secrets === 'mask' ? value.toString() : value.reveal();
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
}

/** `host`, `host:port`, `[v6]:port`, or a bare IPv6 address. */
function splitPort(text: string): { host: string; port: number | null } {
  if (isIPv6(text)) return { host: `[${text}]`, port: null };
  const match = /^(.*[^:]):(\d{1,5})$/.exec(text);
  return match === null ? { host: text, port: null } : { host: match[1] ?? '', port: readPort(match[2] ?? '') };
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new ForgeError('unsafe_value', 'the port must be a number from 1 to 65535');
}

function missing(setting: string, problem: string): ForgeError {
  return new ForgeError('setting_missing', `${problem}, and ssh needs it`, {
    hint: `Fill in ${setting} under Settings → Connectors.`,
  });
}
