import { createHmac } from 'node:crypto';
import type { Keychain } from '../secrets/key-store-keychain.ts';
import { linkIn, type Link } from './chain.ts';

/** A place that the newest row is recorded in besides the data dir, so that an older copy of the whole folder shows. */
export interface OutsideHead {
  /** Names the place in messages. */
  readonly where: string;
  /** Null when there is no record, or the place cannot be reached; `foreign` for one that was not made with the key of this log. */
  read(): Promise<Link | 'foreign' | null>;
  /** Replaces the record, unless the one before does not fit the log: then that must stay visible. Never rejects. */
  write(head: Link, fits: (known: Link) => boolean): Promise<void>;
}

const SERVICE = 'forge';

/** In the keychain of the operating system, where Forge keeps its key there. Each access starts a process, so it is written rarely. */
export function keychainHead(keychain: Keychain, dataDir: string, key: Buffer): OutsideHead {
  const account = `${dataDir} call log`;
  let written = -1;
  const read = async (): Promise<Link | 'foreign' | null> => {
    try {
      const text = await keychain.read(SERVICE, account);
      return text === null ? null : authenticated(text, key);
    } catch {
      // A keychain that is locked says nothing about the log.
      return null;
    }
  };
  return {
    where: 'the keychain',
    read,
    write: async (head, fits) => {
      if (head.seq === written) return;
      const known = await read();
      if (known === 'foreign' || (known !== null && !fits(known))) return;
      const record = JSON.stringify({ seq: head.seq, hash: head.hash });
      try {
        await keychain.write(SERVICE, account, `${record}\n${macOf(record, key)}`);
        written = head.seq;
      } catch {
        // The next time may go better; the older record is still true.
      }
    },
  };
}

function authenticated(text: string, key: Buffer): Link | 'foreign' {
  const [record = '', mac] = text.split('\n');
  // What the keychain holds is out of reach for whoever would compare times.
  if (mac !== macOf(record, key)) return 'foreign';
  return linkIn(JSON.parse(record)) ?? 'foreign';
}

function macOf(record: string, key: Buffer): string {
  return createHmac('sha256', key).update(`outside\0${record}`).digest('hex');
}
