import { createPrivateKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** What the thread was given to do, and says of it. */
interface Locked {
  text: string;
  passphrase: string | undefined;
}
type Unlocked = { pem: string } | { problem: string };

/** Runs in a thread: hashing a passphrase takes most of a second by design, and nothing else could happen meanwhile. */
const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const { utils } = require(workerData.ssh2);
const parsed = utils.parseKey(workerData.text, workerData.passphrase);
const key = Array.isArray(parsed) ? parsed[0] : parsed;
parentPort.postMessage(key instanceof Error ? { problem: key.message } : { pem: key.getPrivatePEM() });
`;

/** Opens a key that has a passphrase; what comes back is the same key without one, in a form that ssh2 reads. */
export async function unlockKey(locked: Locked): Promise<Unlocked> {
  const unlocked = await inThread(locked);
  return 'pem' in unlocked ? { pem: readable(unlocked.pem) } : unlocked;
}

function inThread(locked: Locked): Promise<Unlocked> {
  const ssh2 = createRequire(import.meta.url).resolve('ssh2');
  const worker = new Worker(CODE, {
    eval: true,
    workerData: { ...locked, ssh2 },
    env: {},
    execArgv: [],
    name: 'ssh-key',
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that opens a key has ended')));
  });
}

/** ssh2 writes Ed25519 keys in a form that it does not read; all others it does. */
function readable(pem: string): string {
  if (!pem.startsWith('-----BEGIN PRIVATE KEY-----')) return pem;
  const { x = '', d = '' } = createPrivateKey(pem).export({ format: 'jwk' });
  const [point, seed] = [x, d].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer]; // two in, two out
  const type = Buffer.from('ssh-ed25519');
  const secret = Buffer.concat([
    ...[Buffer.alloc(8), field(type), field(point), field(Buffer.concat([seed, point]))],
    field(Buffer.alloc(0)),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const none = field(Buffer.from('none'));
  const bytes = Buffer.concat([
    ...[Buffer.from('openssh-key-v1\0'), none, none, field(Buffer.alloc(0)), number(1)],
    ...[field(Buffer.concat([field(type), field(point)])), field(Buffer.concat([secret, padding]))],
  ]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** Bytes behind their length, as every part of the format is written. */
function field(bytes: Buffer): Buffer {
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
