import { randomBytes } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import { charsOf } from './measure.ts';
import { readWindow, type ResultPage, type ResultWindow } from './read-window.ts';

/** Keeps whole results in memory for a while, so that a caller who was given the beginning can read on. */
export interface ResultStore {
  /** Keeps a value and returns its handle; null when it is larger than everything that may be kept. */
  put(value: JsonValue, chars?: number): string | null;
  /** The whole value. */
  get(handle: string): JsonValue;
  /** A part of it: a page, what is at a path, or what matches a search. */
  read(handle: string, window?: ResultWindow): ResultPage;
}

interface ResultStoreOptions {
  now?: () => number;
  newHandle?: () => string;
  keepMs?: number;
  maxChars?: number;
}

interface Kept {
  value: JsonValue;
  chars: number;
  expiresAt: number;
}

const HOUR_MS = 3_600_000;

/** A store that drops results after an hour, and the oldest ones first when they become too large together. */
export function createResultStore(options: ResultStoreOptions = {}): ResultStore {
  const { now = Date.now, keepMs = HOUR_MS, maxChars = 64 * 1024 * 1024 } = options;
  const { newHandle = () => `res_${randomBytes(12).toString('hex')}` } = options;
  // In the order in which they were put, so that the first one is the oldest.
  const kept = new Map<string, Kept>();
  let total = 0;

  const drop = (handle: string, { chars }: Kept): void => {
    kept.delete(handle);
    total -= chars;
  };
  const makeRoom = (chars: number): void => {
    for (const [handle, entry] of kept) {
      if (entry.expiresAt > now() && total + chars <= maxChars) return;
      drop(handle, entry);
    }
  };
  const get = (handle: string): JsonValue => {
    makeRoom(0);
    const entry = kept.get(handle);
    if (entry === undefined) throw new ForgeError('result_not_found', 'this result is no longer kept, or never was');
    return entry.value;
  };

  return {
    put(value, chars = charsOf(value)) {
      if (chars > maxChars) return null;
      makeRoom(chars);
      const handle = newHandle();
      kept.set(handle, { value, chars, expiresAt: now() + keepMs });
      total += chars;
      return handle;
    },
    get,
    read: (handle, window = {}) => readWindow(get(handle), window),
  };
}
