import { execFileSync, spawn } from 'node:child_process';
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
  stop(): Promise<void>;
}

/** A real OpenSSH server on a free port, with keys of its own, for whoever runs the tests. */
export async function startSshd(): Promise<Sshd> {
  // Not below a folder that others may write to: the server would not trust the list of keys in it.
  const folder = mkdtempSync(path.join(tmpdir(), 'forge-sshd-'));
  chmodSync(folder, 0o700);
  const keygen = (name: string, type: string, passphrase = '') =>
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', path.join(folder, name)]);
  keygen('host_ed25519', 'ed25519');
  keygen('host_rsa', 'rsa');
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
      'PasswordAuthentication no',
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
  return {
    port,
    username: userInfo().username,
    privateKey: readFileSync(path.join(folder, 'client'), 'utf8'),
    encryptedKey: readFileSync(path.join(folder, 'locked'), 'utf8'),
    folder,
    stop: () =>
      new Promise((resolve) => {
        daemon.removeAllListeners('exit');
        daemon.once('exit', () => {
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        daemon.kill('SIGKILL');
      }),
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
