import { execFile } from 'node:child_process';
import { createRequire as createRequireFrom } from 'node:module';
import type { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import type { Keychain } from './key-store-keychain.ts';
import { secretsUnreadable } from './unreadable.ts';

const PACKAGE = '@napi-rs/keyring';

const HINT = 'Unlock the keychain and try again. A new data dir can use a key file instead: FORGE_KEY_STORE=file.';

/**
 * Runs in a process of its own. Connecting to a D-Bus that does not answer blocks the whole thread it happens on, the
 * package's asynchronous calls included, and a process is the one thing that can always be ended.
 * The store is named because the package otherwise falls back to the kernel's keyring, which a reboot empties.
 * After writing it reads back, so that a write counts only when the keychain really has it.
 */
const HELPER = `
const { Entry } = require(process.argv[1]);
const request = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
try {
  const entry = new Entry(request.service, request.account, { linux: { store: 'secret-service' } });
  if (typeof request.text === 'string') entry.setPassword(request.text);
  process.stdout.write(JSON.stringify({ text: entry.getPassword() ?? null }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: error.message }));
}
`;

interface OsKeychainOptions {
  timeoutMs?: number;
  /** The file that has the `Entry` class. */
  modulePath?: string;
  env?: NodeJS.ProcessEnv;
}

interface Request {
  readonly service: string;
  readonly account: string;
  readonly text?: string;
}

/** The keychain of the operating system; an answer that takes longer than the limit counts as no keychain. */
export function osKeychain(options: OsKeychainOptions = {}): Keychain {
  return {
    read: (service, account) => ask({ service, account }, options),
    write: async (service, account, text) => {
      const kept = await ask({ service, account, text }, options);
      if (kept !== text) throw secretsUnreadable('the keychain did not keep the key', undefined, HINT);
    },
  };
}

async function ask(request: Request, options: OsKeychainOptions): Promise<string | null> {
  const { timeoutMs = 3000, modulePath = findPackage(), env } = options;
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['-e', HELPER, modulePath],
      { timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true, ...(env ? { env } : {}) },
      (error, stdout) => {
        if (error === null) resolve(stdout);
        else if (error.killed === true) reject(unavailable(`it did not answer within ${timeoutMs / 1000} s`));
        else reject(unavailable('the helper process failed', error));
      },
    );
    // The helper may end before it has read its input; how it ended is reported above.
    child.stdin?.on('error', () => undefined).end(JSON.stringify(request));
  });
  const answer = parseAnswer(output);
  if (typeof answer['text'] === 'string' || answer['text'] === null) return answer['text'];
  throw unavailable(typeof answer['error'] === 'string' ? answer['error'] : 'it gave no answer');
}

function parseAnswer(output: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(output);
    return isRecord(answer) ? answer : {};
  } catch {
    // The parser's own error would quote the output, and the output may be key material.
    return {};
  }
}

function findPackage(): string {
  try {
    return createRequireFrom(import.meta.url).resolve(PACKAGE);
  } catch (error) {
    throw unavailable(`the optional package ${PACKAGE} is not installed`, error);
  }
}

function unavailable(reason: string, cause?: unknown): ForgeError {
  return secretsUnreadable(`the keychain is not available: ${reason}`, cause, HINT);
}
