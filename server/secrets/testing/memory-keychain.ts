import type { Keychain } from '../key-store-keychain.ts';
import { secretsUnreadable } from '../unreadable.ts';

interface MemoryKeychain extends Keychain {
  readonly entries: Map<string, string>;
}

/** Stands for the keychain of an operating system, which a test cannot reach. */
export function memoryKeychain(): MemoryKeychain {
  const entries = new Map<string, string>();
  return {
    entries,
    read: (service, account) => Promise.resolve(entries.get(`${service} ${account}`) ?? null),
    write: (service, account, text) =>
      Promise.resolve(entries.set(`${service} ${account}`, text)).then(() => undefined),
  };
}

/** A computer without a keychain, or with one that is locked. */
export function unreachableKeychain(): Keychain {
  const refuse = () => Promise.reject(secretsUnreadable('the keychain is not available: there is none'));
  return { read: refuse, write: refuse };
}
