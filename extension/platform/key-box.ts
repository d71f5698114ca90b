import type { KeyBox } from '../bridge/identity.ts';

const DATABASE = 'forge';
const STORE = 'keys';
const OWN = 'own';

/** Keeps the key in IndexedDB: of all that an extension can write to, only this takes a key that cannot be read out. */
export const keyBox: KeyBox = {
  async get() {
    const found = await inStore('readonly', (store) => store.get(OWN));
    // Written by `put` below; the browser gives back what it was given.
    return found === undefined ? null : (found as CryptoKeyPair);
  },
  async put(pair) {
    await inStore('readwrite', (store) => store.put(pair, OWN));
  },
};

async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await settled(opening);
  try {
    return await settled(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}
