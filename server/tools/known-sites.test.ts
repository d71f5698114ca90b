import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { tempFolder } from '../testing/forge.ts';
import { createKnownSites } from './known-sites.ts';

const HOUR = 60 * 60_000;

async function world() {
  const db = await openDatabase(path.join(tempFolder(), 'forge.db'));
  onTestFinished(() => db.close());
  const clock = { now: 1_000_000_000_000 };
  const open = (maxHeld?: number) =>
    createKnownSites({ db, now: () => clock.now, ...(maxHeld === undefined ? {} : { maxHeld }) });
  return { db, clock, open };
}

const of = (store: ReturnType<typeof createKnownSites>, id: string, more: object = {}) =>
  store.of({ id, client: null, ...more });

it('S8 what was read stays read over a restart, and in its own conversation only', async () => {
  const { open } = await world();
  const store = open();
  of(store, 'one').add('a.example');
  of(store, 'one').add('b.example');
  expect([...of(store, 'two').all()]).toEqual([]);
  expect([...of(open(), 'one').all()].toSorted()).toEqual(['a.example', 'b.example']);
});

it('S8 many conversations push none out of memory for good', async () => {
  const { open } = await world();
  const store = open(2);
  for (const id of ['one', 'two', 'three', 'four']) of(store, id).add(`${id}.example`);
  expect([...of(store, 'one').all()]).toEqual(['one.example']);
});

it('S8 a client without a session is one conversation until it was silent for an hour', async () => {
  const { clock, open } = await world();
  const store = open();
  const calls = of(store, 'client', { idleMs: HOUR });
  calls.add('a.example');
  for (let times = 0; times < 4; times += 1) {
    clock.now += HOUR - 1;
    expect([...calls.all()]).toEqual(['a.example']);
  }
  clock.now += HOUR + 1;
  expect([...calls.all()]).toEqual([]);
  expect([...of(open(), 'client').all()]).toEqual([]);
});

it('S8 a session after a restart begins with what its client had read in the last hour, and with no other’s', async () => {
  const { clock, open } = await world();
  const before = open();
  before.of({ id: 'mcp one s1', client: 'mcp one' }).add('a.example');
  before.of({ id: 'mcp two s1', client: 'mcp two' }).add('b.example');
  const ended = { id: 'mcp one s2', client: 'mcp one' };
  before.of(ended).add('c.example');
  before.end(ended.id);
  clock.now += 1000;
  const after = open();
  const next = { id: 'mcp one s3', client: 'mcp one' };
  after.begin(next);
  expect([...after.of(next).all()]).toEqual(['a.example']);
  // A second session in the same run is a conversation of its own.
  after.of(next).add('d.example');
  const parallel = { id: 'mcp one s4', client: 'mcp one' };
  after.begin(parallel);
  expect([...after.of(parallel).all()]).toEqual(['a.example']);
  clock.now += HOUR;
  const late = { id: 'mcp one s5', client: 'mcp one' };
  after.begin(late);
  expect([...after.of(late).all()]).toEqual([]);
});

it('a site that is read again and again is written once in ten minutes', async () => {
  const { db, clock, open } = await world();
  const known = of(open(), 'one');
  const at = () => Number(db.prepare('SELECT at FROM sites_read').get()?.['at']);
  known.add('a.example');
  const first = at();
  clock.now += 60_000;
  known.add('a.example');
  expect(at()).toBe(first);
  clock.now += 10 * 60_000;
  known.add('a.example');
  expect(at()).toBe(clock.now);
});
