import type { KeyStore } from './key-store.ts';
import { parseKeyring, serialiseKeyring } from './keyring.ts';

const SERVICE = 'forge';

/** What Forge needs of a keychain; both reject when it cannot be reached. */
export interface Keychain {
  read(service: string, account: string): Promise<string | null>;
  write(service: string, account: string, text: string): Promise<void>;
}

/** Keeps the keyring in the operating system's keychain, one entry for each data dir. */
export function keychainKeyStore(keychain: Keychain, dataDir: string): KeyStore {
  const description = `the keychain of this computer (service ${SERVICE}, account ${dataDir})`;
  return {
    kind: 'keychain',
    isWritable: true,
    describe: () => description,
    read: async () => {
      const text = await keychain.read(SERVICE, dataDir);
      return text === null ? null : parseKeyring(text, description);
    },
    write: (keyring) => keychain.write(SERVICE, dataDir, serialiseKeyring(keyring)),
  };
}
