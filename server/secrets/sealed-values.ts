import type { Database } from '../store/sqlite.ts';
import type { KeyId } from './keyring.ts';

// 38 characters are the shortest body: IV and tag around an empty text. The alphabet needs no escapes in JSON.
const SEALED_ANYWHERE = /forge1\.([0-9a-f]{16})\.[A-Za-z0-9_-]{38,}/g;

/** Where secrets are kept. */
const SEALED_TEXTS = `SELECT document FROM settings
  UNION ALL SELECT callback_token FROM tasks WHERE callback_token IS NOT NULL`;

/** How many stored values need which key. Anything that looks sealed counts, so that a key is rather kept too long. */
export function countSealedByKey(db: Database): Map<KeyId, number> {
  const counts = new Map<KeyId, number>();
  for (const row of db.prepare(SEALED_TEXTS).all()) {
    for (const [, keyId = ''] of String(row['document']).matchAll(SEALED_ANYWHERE)) {
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    }
  }
  return counts;
}

/** The keys that must stay: those of secrets, and those of the call log's own key, which is sealed like a secret but is none of a person's. */
export function keysInUse(db: Database): Set<KeyId> {
  const keys = new Set(countSealedByKey(db).keys());
  for (const row of db.prepare('SELECT sealed FROM call_log_keys').all()) {
    for (const [, keyId = ''] of String(row['sealed']).matchAll(SEALED_ANYWHERE)) keys.add(keyId);
  }
  return keys;
}
