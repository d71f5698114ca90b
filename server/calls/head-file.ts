import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync, readSync } from 'node:fs';
import { systemCode } from '../store/disk-errors.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import { createPrivateFile } from '../store/private-file.ts';
import { linkIn, type Link } from './chain.ts';

/** One sector: disks write it whole or not at all. */
const SLOT_BYTES = 512;
const SLOTS = 2;
const SYNC_EVERY_MS = 10_000;

/** What the file says: the newest row it knows, or why it says nothing. */
export type HeadRecord = Link | 'missing' | 'unreadable';

export interface HeadFile {
  /** Only after the row it names is on disk: the file must never claim more than the database has. */
  write(head: Link): void;
  close(): void;
}

/**
 * The newest row of the log, outside of the database and authenticated. Two slots are written in turn, so that one of them is whole
 * whenever the power goes. The system is asked to put it on disk every ten seconds: a crash of Forge loses nothing of it, a power cut at
 * most makes it older, and an older record is still true.
 */
export function openHeadFile(file: string, key: Buffer, ops: FileOps = nodeFileOps): HeadFile {
  const fd = ops.openSync(file, 'r+');
  let syncedAt = -Infinity;
  return {
    write: (head) => {
      const before = Buffer.alloc(SLOT_BYTES * SLOTS);
      readSync(fd, before, 0, before.length, 0);
      const slot = (newestSlot(before) + 1) % SLOTS;
      ops.writeSync(fd, slotOf(head, key), 0, SLOT_BYTES, slot * SLOT_BYTES);
      if (performance.now() - syncedAt < SYNC_EVERY_MS) return;
      ops.fsyncSync(fd);
      syncedAt = performance.now();
    },
    close: () => {
      ops.fsyncSync(fd);
      ops.closeSync(fd);
    },
  };
}

/** Only where there has never been one, or its absence has been noted: otherwise that it is missing is what the check must find. */
export function createHeadFile(file: string, key: Buffer, head: Link, ops: FileOps = nodeFileOps): void {
  createPrivateFile(file, ops);
  const made = openHeadFile(file, key, ops);
  made.write(head);
  made.close();
}

export function readHeadFile(file: string, key: Buffer): HeadRecord {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'missing' : 'unreadable';
  }
  const links = slotTexts(bytes).flatMap((text) => authenticated(text, key) ?? []);
  return links.sort((a, b) => b.seq - a.seq)[0] ?? 'unreadable';
}

function slotOf(head: Link, key: Buffer): Buffer {
  const record = JSON.stringify({ v: 1, seq: head.seq, hash: head.hash });
  return Buffer.alloc(SLOT_BYTES, `${record}\n${macOf(record, key)}\n`.padEnd(SLOT_BYTES));
}

function slotTexts(bytes: Buffer): string[] {
  return Array.from({ length: SLOTS }, (_, slot) =>
    bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES).toString('latin1'),
  );
}

/** By what the slots claim; whether that is true does not matter for choosing which to overwrite. */
function newestSlot(bytes: Buffer): number {
  const claims = slotTexts(bytes).map((text) => linkOf(text)?.seq ?? -1);
  return claims.indexOf(Math.max(...claims));
}

function authenticated(text: string, key: Buffer): Link | null {
  const [record = '', mac = ''] = text.split('\n');
  const wanted = macOf(record, key);
  if (mac.length !== wanted.length || !timingSafeEqual(Buffer.from(mac, 'latin1'), Buffer.from(wanted))) return null;
  return linkOf(text);
}

function linkOf(text: string): Link | null {
  try {
    return linkIn(JSON.parse(text.split('\n')[0] ?? ''));
  } catch {
    // An empty slot, or one that somebody has written into.
    return null;
  }
}

function macOf(record: string, key: Buffer): string {
  return createHmac('sha256', key).update(record).digest('hex');
}
