import { readFile } from 'node:fs/promises';
import { checkPrivateFile } from '../store/data-dir.ts';
import { diskReason, systemCode } from '../store/disk-errors.ts';
import { writeFileDurably } from '../store/durable-files.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import type { KeyStore } from './key-store.ts';
import { parseKeyring, serialiseKeyring } from './keyring.ts';
import { secretsUnreadable } from './unreadable.ts';

/** Keeps the keyring in a file that only its owner can read, where there is no keychain. */
export function fileKeyStore(path: string, ops: FileOps = nodeFileOps): KeyStore {
  const description = `the key file ${path}`;
  return {
    kind: 'file',
    isWritable: true,
    describe: () => description,
    read: async () => {
      checkPrivateFile(path);
      const text = await readIfThere(path);
      return text === null ? null : parseKeyring(text, description);
    },
    write: (keyring) =>
      Promise.resolve(Buffer.from(serialiseKeyring(keyring))).then((bytes) => writeFileDurably(path, bytes, { ops })),
  };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw secretsUnreadable(`the key file ${path} does not open: ${diskReason(error)}`, error);
  }
}
