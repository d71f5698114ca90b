import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

export interface Sshd {
  port: number;
  username: string;
  /** Let in by the server. */
  privateKey: string;
  /** The same with a passphrase. */
  encryptedKey: string;
  folder: string;
  /** Starts it again on the same port, as another computer would answer there. */
  changeHostKeys(): Promise<void>;
  stop(): Promise<void>;
}

interface SshdOptions {
  /** Lets in a user who is not root, whoever runs the tests. */
  isPlainUser?: boolean;
}

/** A user that only this server knows of, where root runs the tests. */
const PLAIN_USER = 'forge-test';

/** A real OpenSSH server on a free port, with keys of its own, for whoever runs the tests. */
export async function startSshd({ isPlainUser = false }: SshdOptions = {}): Promise<Sshd> {
  const isOther = isPlainUser && process.getuid?.() === 0;
  // Not below a folder that others may write to: the server would not trust the list of keys in it.
  const folder = mkdtempSync(path.join(tmpdir(), 'forge-sshd-'));
  chmodSync(folder, 0o711);
  const keygen = (name: string, type: string, passphrase = '') =>
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', path.join(folder, name)]);
  const makeHostKeys = (): void => {
    for (const type of ['ed25519', 'rsa']) {
      rmSync(path.join(folder, `host_${type}`), { force: true });
      keygen(`host_${type}`, type);
    }
  };
  makeHostKeys();
  keygen('client', 'ed25519');
  keygen('locked', 'ecdsa', 'a passphrase');
  const authorized = path.join(folder, 'authorized_keys');
  writeFileSync(
    authorized,
    ['client.pub', 'locked.pub'].map((name) => readFileSync(path.join(folder, name))).join('\n'),
  );
  chmodSync(authorized, 0o644);
  const port = await freePort();
  const config = path.join(folder, 'sshd_config');
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${path.join(folder, 'host_ed25519')}`,
      `HostKey ${path.join(folder, 'host_rsa')}`,
      `AuthorizedKeysFile ${authorized}`,
      `PidFile ${path.join(folder, 'pid')}`,
      // Asked for and always refused: root may not, and nobody else's password can be looked up.
      'PasswordAuthentication yes',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'UsePAM no',
      'StrictModes no',
      'AllowTcpForwarding yes',
      'PrintMotd no',
    ].join('\n'),
  );
  // It separates privileges into a folder that only the package's own start makes.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const users = path.join(folder, 'passwd');
  if (isOther) {
    const known = readFileSync('/etc/passwd', 'utf8');
    writeFileSync(users, `${known.trimEnd()}\n${PLAIN_USER}:x:54321:54321::/:/bin/sh\n`, { mode: 0o644 });
  }
  const start = () => startDaemon(config, isOther ? users : null);
  let daemon = await start();
  return {
    port,
    username: isOther ? PLAIN_USER : userInfo().username,
    privateKey: readFileSync(path.join(folder, 'client'), 'utf8'),
    encryptedKey: readFileSync(path.join(folder, 'locked'), 'utf8'),
    folder,
    changeHostKeys: async () => {
      await stopDaemon(daemon);
      makeHostKeys();
      daemon = await start();
    },
    stop: async () => {
      await stopDaemon(daemon);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With a list of users, the server sees that one in place of the computer's own, and nobody else does. */
async function startDaemon(config: string, users: string | null): Promise<ChildProcess> {
  const sshd = ['/usr/sbin/sshd', '-D', '-e', '-f', config];
  const alone = ['unshare', '-m', 'sh', '-c', 'mount --bind "$0" /etc/passwd && exec "$@"', users ?? '', ...sshd];
  const [program = '', ...args] = users === null ? sshd : alone;
  const daemon = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    daemon.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes('Server listening')) resolve();
    });
    daemon.once('exit', () => reject(new Error(`sshd did not start: ${said}`)));
    daemon.once('error', reject);
  });
  return daemon;
}

function stopDaemon(daemon: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    daemon.once('exit', () => resolve());
    daemon.kill('SIGKILL');
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
