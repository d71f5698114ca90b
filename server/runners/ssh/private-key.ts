import { hash } from 'node:crypto';
import type { ParsedKey, utils } from 'ssh2';
import { ForgeError } from '../../../shared/errors.ts';
import type { SshLogin } from '../job.ts';
import { unlockKey } from './unlock-key.ts';

type ParseKey = typeof utils.parseKey;

/** Opening a key with a passphrase takes long by design; what was opened is kept. */
const opened = new Map<string, Promise<ParsedKey>>();
const MAX_OPENED = 100;
/** ssh-keygen makes 16 to 24 rounds when nobody says otherwise; this many take about three seconds. */
const MAX_ROUNDS = 64;
const SLOW_HINT = 'Make a copy with fewer rounds for Forge: ssh-keygen -p -a 16 -f <copy of the key>';

/** Opens a key before anybody is connected to, so that a wrong passphrase is told as one. */
export async function readPrivateKey(
  { privateKey, passphrase }: Pick<SshLogin, 'privateKey' | 'passphrase'>,
  parseKey: ParseKey,
): Promise<ParsedKey | null> {
  if (privateKey === null) return null;
  const id = hash('sha256', JSON.stringify([privateKey, passphrase]), 'base64');
  const known = opened.get(id);
  if (known !== undefined) return known;
  const key = open(withLines(privateKey), passphrase ?? undefined, parseKey);
  if (opened.size >= MAX_OPENED) opened.clear();
  opened.set(id, key);
  // What could not be opened is tried again the next time.
  key.catch(() => opened.delete(id));
  return key;
}

async function open(text: string, passphrase: string | undefined, parseKey: ParseKey): Promise<ParsedKey> {
  const rounds = roundsOf(text);
  if (rounds > MAX_ROUNDS) throw unreadable(`opening it takes more than ${MAX_ROUNDS} rounds`, SLOW_HINT);
  if (rounds === 0) return parse(text, passphrase, parseKey);
  const unlocked = await unlockKey({ text, passphrase });
  if ('problem' in unlocked) throw unreadable(unlocked.problem);
  return parse(unlocked.pem, undefined, parseKey);
}

function parse(text: string, passphrase: string | undefined, parseKey: ParseKey): ParsedKey {
  const parsed = parseKey(text, passphrase);
  if (parsed instanceof Error) throw unreadable(parsed.message);
  const key = (Array.isArray(parsed) ? parsed[0] : parsed) as ParsedKey | undefined; // a file may hold several, though none does
  if (key?.isPrivateKey() !== true) throw unreadable('it is a public key');
  return key;
}

/** How often OpenSSH's own format asks to hash the passphrase; 0 for keys in another one. */
function roundsOf(text: string): number {
  const body = /^-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*)-----END/.exec(text)?.[1] ?? '';
  const bytes = Buffer.from(body, 'base64');
  // The magic, then three texts with their lengths: cipher, kdf, and the kdf's options, which end in the rounds.
  let at = 15;
  for (let field = 0; field < 3; field += 1) {
    if (at + 4 > bytes.length) return 0;
    at += 4 + bytes.readUInt32BE(at);
    if (field === 2) return at <= bytes.length && bytes.readUInt32BE(at - 4) > 0 ? bytes.readUInt32BE(at - 4) : 0;
  }
  return 0;
}

/** A form may have made one line of it, and an editor another kind of line end. */
function withLines(key: string): string {
  const text = key.trim().replaceAll(/\r\n?/g, '\n');
  if (text.includes('\n')) return `${text}\n`;
  const match = /^(-----BEGIN [A-Z0-9 ]+-----)(.*)(-----END [A-Z0-9 ]+-----)$/.exec(text);
  if (match === null) return text;
  const [, begin = '', body = '', end = ''] = match;
  return `${begin}\n${body.trim().replaceAll(/\s+/g, '\n')}\n${end}\n`;
}

// The library's messages name no part of the key.
function unreadable(
  problem: string,
  hint = 'Save the private key as it stands in its file, and its passphrase if it has one.',
): ForgeError {
  return new ForgeError('ssh_auth_failed', `the saved private key cannot be used: ${problem}`, { hint });
}
