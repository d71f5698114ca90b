// A process that makes calls which change something, eight at a time, until it is killed.
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { fileKeyStore } from '../../secrets/key-store-file.ts';
import { openSecrets } from '../../secrets/secrets.ts';
import { openDatabase } from '../../store/database.ts';
import { newCallId } from '../call-id.ts';
import { openCallLog } from '../open-call-log.ts';

/** What the parent says: where, whom to call, and the bundled code of the threads. */
interface Orders {
  root: string;
  url: string;
  writer: string;
  reader: string;
}

const IN_FLIGHT = 8;
const { root, url, writer, reader } = JSON.parse(process.argv[2] ?? '') as Orders; // written by the parent
const db = await openDatabase(path.join(root, 'forge.db'));
const secrets = await openSecrets({ db, keyStore: fileKeyStore(path.join(root, 'key')) });
const log = await openCallLog({
  ...{ db, secrets, limits: { days: 30, rows: 1_000_000 } },
  dataDir: { root, database: path.join(root, 'forge.db'), callLogHead: path.join(root, 'call-log-head') },
  keychain: { read: () => Promise.resolve(null), write: () => Promise.resolve() },
  scripts: { writer: new URL(writer), reader: new URL(reader) },
});

async function call(): Promise<void> {
  const entry = {
    ...{ id: newCallId(), at: new Date(), caller: 'kill', toolId: 'shop.remove', connectorId: 'shop', args: {} },
    ...{ code: null, message: null, durationMs: 1, stages: {}, trace: null },
  };
  await log.intend({ ...entry, outcome: 'started' });
  await fetch(`${url}/${entry.id}`, { method: 'DELETE' });
  log.record({ ...entry, outcome: 'ok' });
}

async function keepCalling(): Promise<never> {
  for (;;) await call();
}

// Some while starting, most while calls are under way.
setTimeout(() => process.kill(process.pid, 'SIGKILL'), randomInt(1, 250));
await Promise.all(Array.from({ length: IN_FLIGHT }, keepCalling));
