import type { Keyring } from './keyring.ts';

export type KeyStoreKind = 'env' | 'keychain' | 'file';

/** A place that keeps the keyring. A kind is one file, and one line in choose-key-store.ts. */
export interface KeyStore {
  readonly kind: KeyStoreKind;
  /** False where only a person can change the keys; `write` then rejects and says how. */
  readonly isWritable: boolean;
  /** Names the place in messages: "the key file …". */
  describe(): string;
  /** Null only when the place is reachable and holds nothing. */
  read(): Promise<Keyring | null>;
  /** Returns when the keyring is kept for good; replaces the one before. */
  write(keyring: Keyring): Promise<void>;
}
