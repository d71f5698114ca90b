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

/** A real OpenSSH server on a free port, with keys of its own, for whoever runs the tests. */
export async function startSshd(): Promise<Sshd> {
  // Not below a folder that others may write to: the server would not trust the list of keys in it.
  const folder = mkdtempSync(path.join(tmpdir(), 'forge-sshd-'));
  chmodSync(folder, 0o700);
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
  chmodSync(authorized, 0o600);
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
  let daemon = await startDaemon(config);
  return {
    port,
    username: userInfo().username,
    privateKey: readFileSync(path.join(folder, 'client'), 'utf8'),
    encryptedKey: readFileSync(path.join(folder, 'locked'), 'utf8'),
    folder,
    changeHostKeys: async () => {
      await stopDaemon(daemon);
      makeHostKeys();
      daemon = await startDaemon(config);
    },
    stop: async () => {
      await stopDaemon(daemon);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startDaemon(config: string): Promise<ChildProcess> {
  const daemon = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
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
