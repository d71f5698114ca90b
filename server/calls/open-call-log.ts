import type { Keychain } from '../secrets/key-store-keychain.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { DataDir } from '../store/data-dir.ts';
import { openUnhurried } from '../store/database.ts';
import type { Database } from '../store/sqlite.ts';
import { createOwnWriter } from './append-calls.ts';
import { createCallLog, type CallLog } from './call-log.ts';
import { openLogKeys, resealLogKeys } from './log-keys.ts';
import { createOwnReader, createThreadReader } from './log-reader.ts';
import { keychainHead } from './outside-head.ts';
import type { PruneLimits } from './prune.ts';
import { createThreadWriter } from './thread-writer.ts';
import type { QueueProblem } from './write-queue.ts';

interface OpenOptions {
  db: Database;
  dataDir: Pick<DataDir, 'root' | 'database' | 'callLogHead'>;
  secrets: Pick<Secrets, 'state' | 'prepare' | 'seal' | 'open' | 'status'>;
  keychain: Keychain;
  limits: PruneLimits;
  /** The bundled code of the threads; where it is missing, the calling thread does their work. */
  scripts: { writer: URL; reader: URL };
  onProblem?: (problem: QueueProblem) => void;
}

/** The call log of a data dir, with a connection of its own and threads for what takes long. */
export async function openCallLog(options: OpenOptions): Promise<CallLog> {
  const { db, dataDir, secrets, keychain, limits, scripts, onProblem } = options;
  const keys = await openLogKeys({ db, secrets });
  const logDb = await openUnhurried(dataDir.database);
  const files = { keys: keys.current, headFile: dataDir.callLogHead };
  const own = createOwnWriter(logDb, files);
  const writer = createThreadWriter(own, { ...files, script: scripts.writer, database: dataDir.database });
  const reader = createThreadReader(createOwnReader(logDb), { script: scripts.reader, database: dataDir.database });
  const inKeychain = secrets.status().store === 'keychain' ? keys.current : null;
  const log = createCallLog({
    ...{ db: logDb, keys, headFile: files.headFile, limits, writer, reader },
    ...(inKeychain === null ? {} : { outside: keychainHead(keychain, dataDir.root, inKeychain.head) }),
    ...(onProblem === undefined ? {} : { onProblem }),
  });
  return {
    ...log,
    // In the transaction of the rotation, which is on the other connection.
    resealKeys: (reseal) => resealLogKeys(db, reseal),
    close: async () => {
      await log.close();
      own.close();
      logDb.close();
    },
  };
}
