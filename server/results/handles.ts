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
  /** Keeps JSON that another thread has written, under the handle it has given. */
  adopt(handle: string, json: Uint8Array, origin: Origin): void;
  /** Its JSON, in memory of its own. */
  jsonOf(handle: string): Buffer;
  /** How long its JSON is. */
  bytesOf(handle: string): number;
  /** A part of it: a page, what is at a path, or what matches a search. Only large ones have to be waited for. */
  read(handle: string, window?: ResultWindow): ResultPage | Promise<ResultPage>;
}

/** Reads a part of a large result where nobody else has to wait for it. */
export type ReadLarge = (handle: string, json: Uint8Array, window: ResultWindow) => Promise<ResultPage>;

interface ResultStoreOptions {
  now?: () => number;
  newHandle?: () => string;
  keepMs?: number;
  maxBytes?: number;
  readLarge?: ReadLarge | undefined;
}

/** As JSON: what the values would take in the heap is several times as much, and nobody's guess. */
interface Kept {
  json: ShelfPlace;
  bytes: number;
  origin: readonly string[];
  expiresAt: number;
}

const HOUR_MS = 3_600_000;
const LARGE_BYTES = 256 * 1024;
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Of a UUID, since Node draws the bytes for many of them at once. */
export function newHandle(): string {
  return `res_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

/** A store that drops results after an hour, and the oldest ones first when they become too large together. */
export function createResultStore(options: ResultStoreOptions = {}): ResultStore {
  const { now = Date.now, keepMs = HOUR_MS, maxBytes = MAX_KEPT_BYTES, readLarge } = options;
  const { newHandle: nextHandle = newHandle } = options;
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
  const entryOf = (handle: string): Kept => {
    makeRoom(0);
    const entry = kept.get(handle);
    if (entry === undefined) throw noResult();
    return entry;
  };
  // Written by `put` below, or by another thread in the same way.
  const get = (handle: string): JsonValue => JSON.parse(shelf.read(entryOf(handle).json)) as JsonValue;
  const keep = (handle: string, json: ShelfPlace, bytes: number, origin: Origin | undefined): void => {
    kept.set(handle, { json, bytes, origin: originIds(origin), expiresAt: now() + keepMs });
    total += bytes;
  };

  return {
    put(value, text = JSON.stringify(value), origin) {
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) return null;
      makeRoom(bytes);
      const handle = nextHandle();
      keep(handle, shelf.put(text, bytes), bytes, origin);
      return handle;
    },
    adopt(handle, json, origin) {
      makeRoom(json.length);
      keep(handle, TextShelf.placeOf(json), json.length, origin);
    },
    jsonOf: (handle) => Buffer.from(shelf.bytes(entryOf(handle).json)),
    bytesOf: (handle) => entryOf(handle).bytes,
    originOf: (handle) => kept.get(handle)?.origin ?? [],
    get,
    read: (handle, window = {}) => {
      const { json, bytes } = entryOf(handle);
      if (readLarge === undefined || bytes <= LARGE_BYTES) return readWindow(get(handle), window);
      return readLarge(handle, shelf.bytes(json), window);
    },
  };
}

/** Also for a result that somebody may not read: that it is there is none of their business. */
export function noResult(): ForgeError {
  return new ForgeError('result_not_found', 'this result is no longer kept, or never was');
}
