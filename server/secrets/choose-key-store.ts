import { existsSync } from 'node:fs';
import { isForgeError } from '../../shared/errors.ts';
import type { FileOps } from '../store/file-ops.ts';
import { envKeyStore } from './key-store-env.ts';
import { fileKeyStore } from './key-store-file.ts';
import { keychainKeyStore, type Keychain } from './key-store-keychain.ts';
import type { KeyStore, KeyStoreKind } from './key-store.ts';
import { secretsUnreadable } from './unreadable.ts';

type KeyStorePreference = 'auto' | 'keychain' | 'file';

interface Choice {
  /** FORGE_ENCRYPTION_KEY; an empty one counts as not set. */
  readonly encryptionKey: string | undefined;
  /** The kind that the data dir was sealed with, from its own records; null for a new data dir. */
  readonly recorded: string | null;
  readonly preference: KeyStorePreference;
  readonly dataDir: { readonly root: string; readonly key: string };
  readonly keychain: Keychain;
  readonly ops?: FileOps;
}

/**
 * Decides where the key is. Once something is sealed the place is settled: when it cannot be reached the secrets are
 * unreadable until it can, because looking elsewhere would end in a second key.
 */
export async function chooseKeyStore(choice: Choice): Promise<KeyStore> {
  const { recorded, preference, dataDir } = choice;
  const encryptionKey = choice.encryptionKey?.trim() === '' ? undefined : choice.encryptionKey;
  const makers: Readonly<Record<KeyStoreKind, () => KeyStore>> = {
    env: () => envKeyStore(encryptionKey),
    keychain: () => keychainKeyStore(choice.keychain, dataDir.root),
    file: () => fileKeyStore(dataDir.key, choice.ops),
  };
  if (encryptionKey !== undefined) return makers.env();
  if (recorded !== null) {
    if (!isKind(recorded, makers)) throw secretsUnreadable(`this Forge knows no key store called "${recorded}"`);
    return makers[recorded]();
  }
  if (existsSync(dataDir.key)) return makers.file();
  // Asked for by name, it is used or its failure is told; a key file would not be what the person chose.
  if (preference === 'keychain') return makers.keychain();
  if (preference === 'auto' && (await isReachable(makers.keychain()))) return makers.keychain();
  return makers.file();
}

function isKind(name: string, makers: Readonly<Record<KeyStoreKind, unknown>>): name is KeyStoreKind {
  return Object.hasOwn(makers, name);
}

async function isReachable(store: KeyStore): Promise<boolean> {
  try {
    await store.read();
    return true;
  } catch (error) {
    // A keychain that answers with a damaged keyring is reachable; openSecrets tells what is wrong with it.
    return isForgeError(error, 'key_invalid');
  }
}
