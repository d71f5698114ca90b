import { randomUUID } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import { originIds, type Origin } from './origin.ts';
import { readWindow, type ResultPage, type ResultWindow } from './read-window.ts';
import { TextShelf, type ShelfPlace } from './text-shelf.ts';

/** Keeps whole results in memory for a while, so that a caller who was given the beginning can read on. */
export interface ResultStore {
  /** Keeps a value and returns its handle; null when it is larger than all that may be kept. Its JSON is written if it is not given. */
  put(value: JsonValue, json?: string, origin?: Origin): string | null;
  /** The connectors it came from; none when nobody said, or when it is no longer kept. */
  originOf(handle: string): readonly string[];
  /** The whole value. */
  get(handle: string): JsonValue;
  /** A part of it: a page, what is at a path, or what matches a search. */
  read(handle: string, window?: ResultWindow): ResultPage;
}

interface ResultStoreOptions {
  now?: () => number;
  newHandle?: () => string;
  keepMs?: number;
  maxBytes?: number;
}

/** As JSON: what the values would take in the heap is several times as much, and nobody's guess. */
interface Kept {
  json: ShelfPlace;
  bytes: number;
  origin: readonly string[];
  expiresAt: number;
}

const HOUR_MS = 3_600_000;

/** Of a UUID, since Node draws the bytes for many of them at once. */
function randomName(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24);
}

/** A store that drops results after an hour, and the oldest ones first when they become too large together. */
export function createResultStore(options: ResultStoreOptions = {}): ResultStore {
  const { now = Date.now, keepMs = HOUR_MS, maxBytes = 64 * 1024 * 1024 } = options;
  const { newHandle = () => `res_${randomName()}` } = options;
  // In the order in which they were put, so that the first one is the oldest.
  const kept = new Map<string, Kept>();
  const shelf = new TextShelf();
  let total = 0;

  const makeRoom = (needed: number): void => {
    for (const [handle, { json, bytes, expiresAt }] of kept) {
      if (expiresAt > now() && total + needed <= maxBytes) return;
      kept.delete(handle);
      shelf.remove(json);
      total -= bytes;
    }
  };
  const get = (handle: string): JsonValue => {
    makeRoom(0);
    const entry = kept.get(handle);
    if (entry === undefined) throw noResult();
    // Written by `put` below.
    return JSON.parse(shelf.read(entry.json)) as JsonValue;
  };

  return {
    put(value, text = JSON.stringify(value), origin) {
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) return null;
      makeRoom(bytes);
      const handle = newHandle();
      const json = shelf.put(text, bytes);
      kept.set(handle, { json, bytes, origin: originIds(origin), expiresAt: now() + keepMs });
      total += bytes;
      return handle;
    },
    originOf: (handle) => kept.get(handle)?.origin ?? [],
    get,
    read: (handle, window = {}) => readWindow(get(handle), window),
  };
}

/** Also for a result that somebody may not read: that it is there is none of their business. */
export function noResult(): ForgeError {
  return new ForgeError('result_not_found', 'this result is no longer kept, or never was');
}
