import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createFileStore } from './files.ts';
import { pruneFiles } from './prune-files.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIMITS = { keepMs: 30 * DAY_MS, maxBytes: 1000 };
const now = () => NOW;

/** A store whose files are as old as the test says, called `0…01`, `0…02` and so on. */
function world() {
  const folder = tempDir();
  let count = 0;
  const newId = () => String((count += 1)).padStart(24, '0');
  const store = createFileStore(folder, { newId });
  const save = (ageMs: number, bytes = 10, filename = 'a.txt') => {
    const entry = store.save({ filename, bytes: Buffer.alloc(bytes), contentType: 'text/plain' });
    age(entry.path, ageMs);
    return entry;
  };
  const left = () => readdirSync(folder).map((name) => (/^\d{24}$/.test(name) ? Number(name) : name));
  return { folder, store, save, left };
}

function age(place: string, ageMs: number): void {
  const seconds = (NOW - ageMs) / 1000;
  utimesSync(place, seconds, seconds);
}

describe('saved files', () => {
  it('W-15 go when they are older than they may be, and not before', async () => {
    const { folder, store, save, left } = world();
    for (const ageMs of [30 * DAY_MS + 1000, 0, 30 * DAY_MS - 1000, 400 * DAY_MS]) save(ageMs);
    expect(await pruneFiles(folder, LIMITS, { now })).toEqual({ removed: 2, bytes: 20, problems: [] });
    expect(left()).toEqual([2, 3]);
    expect(store.find('1'.padStart(24, '0'))).toBeNull();
    expect(await pruneFiles(folder, LIMITS, { now: () => NOW + DAY_MS })).toMatchObject({ removed: 1 });
    expect(left()).toEqual([2]);
  });

  it('W-15 go from the oldest on when they are too large together', async () => {
    const { folder, save, left } = world();
    for (const [ageMs, bytes] of [
      [4 * HOUR_MS, 100],
      [2 * HOUR_MS, 600],
      [5 * HOUR_MS, 1],
      [3 * HOUR_MS, 350],
    ] as const)
      save(ageMs, bytes);
    expect(await pruneFiles(folder, LIMITS, { now })).toEqual({ removed: 2, bytes: 101, problems: [] });
    expect(left()).toEqual([2, 4]);
  });

  it('W-15 stay for an hour, however large they are', async () => {
    const { folder, save, left } = world();
    save(HOUR_MS - 1000, 5000);
    save(HOUR_MS + 1000, 1);
    expect(await pruneFiles(folder, LIMITS, { now })).toMatchObject({ removed: 1, bytes: 1 });
    expect(left()).toEqual([1]);
  });

  it('an empty folder that a stopped Forge left behind goes like a file', async () => {
    const { folder, left } = world();
    for (const [name, ageMs] of [
      ['a', 31 * DAY_MS],
      ['b', 0],
    ] as const) {
      const place = path.join(folder, name.repeat(24));
      mkdirSync(place);
      age(place, ageMs);
    }
    expect(await pruneFiles(folder, LIMITS, { now })).toMatchObject({ removed: 1 });
    expect(left()).toEqual(['b'.repeat(24)]);
  });

  it('what Forge did not write stays, however old it is', async () => {
    const { folder, save } = world();
    const elsewhere = path.join(tempDir(), 'mine.txt');
    writeFileSync(elsewhere, 'mine');
    const id = (letter: string) => path.join(folder, letter.repeat(24));
    const put = (place: string) => {
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, 'mine');
      age(place, 400 * DAY_MS);
    };
    const [withMore] = [save(400 * DAY_MS).path];
    put(path.join(path.dirname(withMore), 'notes.txt'));
    put(path.join(folder, 'README.md'));
    put(path.join(folder, 'backup/a.txt'));
    put(path.join(folder, 'A'.repeat(24), 'a.txt'));
    put(id('a'));
    put(path.join(id('b'), 'inner/a.txt'));
    put(path.join(id('c'), '.hidden'));
    mkdirSync(id('d'));
    symlinkSync(elsewhere, path.join(id('d'), 'link.txt'));
    symlinkSync(path.dirname(elsewhere), id('e'));
    const before = readdirSync(folder, { recursive: true }).sort();
    expect(await pruneFiles(folder, { keepMs: 0, maxBytes: 0 }, { now })).toEqual({
      removed: 0,
      bytes: 0,
      problems: [],
    });
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
    expect(existsSync(elsewhere)).toBe(true);
  });

  it('a file that cannot be removed is told and does not hold up the others', async () => {
    const { folder, save, left } = world();
    const [stuck] = [save(40 * DAY_MS), save(40 * DAY_MS)];
    const removeFile = (file: string) =>
      file === stuck.path ? Promise.reject(Object.assign(new Error('no'), { code: 'EPERM' })) : unlink(file);
    expect(await pruneFiles(folder, LIMITS, { now, removeFile })).toEqual({
      removed: 1,
      bytes: 10,
      problems: [`${path.dirname(stuck.path)}: permission denied (EPERM)`],
    });
    expect(left()).toEqual([1]);
  });

  it('a folder that fills again while its file goes is left alone', async () => {
    const { folder, save, left } = world();
    const { path: file } = save(40 * DAY_MS);
    const removeFile = async (place: string) => {
      await unlink(place);
      writeFileSync(path.join(path.dirname(file), 'new.txt'), 'new');
    };
    expect(await pruneFiles(folder, LIMITS, { now, removeFile })).toEqual({ removed: 0, bytes: 0, problems: [] });
    expect(left()).toEqual([1]);
  });

  it('stops when it is told to', async () => {
    const { folder, save, left } = world();
    for (let n = 0; n < 3; n += 1) save(40 * DAY_MS);
    const stop = new AbortController();
    const removeFile = async (file: string) => {
      await unlink(file);
      stop.abort();
    };
    expect(await pruneFiles(folder, LIMITS, { now, removeFile, signal: stop.signal })).toMatchObject({ removed: 1 });
    expect(left()).toHaveLength(2);
  });
});
