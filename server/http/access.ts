import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ForgeError } from '../../shared/errors.ts';
import { checkPrivateFile } from '../store/data-dir.ts';
import { writeFileDurably } from '../store/durable-files.ts';

const MIN_TOKEN = 32;

export type Access = ReturnType<typeof openAccess>;

/** The one token that opens Forge. Made at the first start, kept in a private file; `onToken` hears of it first. */
export function openAccess(
  tokenFile: string,
  onToken: (token: string) => void = () => undefined,
  random: (size: number) => Buffer = randomBytes,
) {
  let token = readToken(tokenFile);
  if (token === null) token = makeToken();
  onToken(token);
  let tokenBytes = Buffer.from(token);

  function makeToken(): string {
    const fresh = random(32).toString('base64url');
    writeFileDurably(tokenFile, Buffer.from(`${fresh}\n`), { mode: 0o600 });
    return fresh;
  }

  return {
    token: () => token ?? '',
    accepts: (given: string) => given !== '' && same(given, tokenBytes),
    rotate(): string {
      token = makeToken();
      onToken(token);
      tokenBytes = Buffer.from(token);
      return token;
    },
  };
}

export function readToken(tokenFile: string): string | null {
  checkPrivateFile(tokenFile);
  let text: string;
  try {
    text = readFileSync(tokenFile, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  if (!/^[\x21-\x7e]+$/.test(text) || text.length < MIN_TOKEN) {
    throw new ForgeError(
      'data_dir_unusable',
      `${tokenFile} does not hold a token: it must be one line of at least ${MIN_TOKEN} plain characters`,
      {
        hint: 'Remove the file; the next start makes a new token.',
      },
    );
  }
  return text;
}

/** Takes the same time wherever the two differ. Their length is no secret: every token has the same. */
function same(given: string, wanted: Buffer): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}
