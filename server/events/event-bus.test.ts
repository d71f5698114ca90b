import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ForgeEvent } from '../../shared/events.ts';
import { openDatabase } from '../store/database.ts';
import { transaction } from '../store/transaction.ts';
import { tempFolder } from '../testing/forge.ts';
import { createEventBus } from './event-bus.ts';

const event = (watch_id: string): ForgeEvent => ({ type: 'watch.resumed', watch_id, tool_id: 'a.b', session_id: null });

async function world(keep?: number) {
  const db = await openDatabase(path.join(tempFolder(), 'forge.db'));
  onTestFinished(() => db.close());
  const open = () => createEventBus({ db, ...(keep === undefined ? {} : { keep }) });
  const bus = open();
  const heard: (string | null)[] = [];
  const listen = (to: typeof bus) =>
    to.listen(({ event: one, id }) => heard.push(`${id ?? '-'} ${'watch_id' in one ? one.watch_id : one.type}`));
  return { db, bus, open, heard, listen };
}

it('hands an event out once its change is committed, and not at all when it is not', async () => {
  const { db, bus, heard, listen } = await world();
  listen(bus);
  transaction(db, () => bus.append(event('one')));
  expect(heard).toEqual([]);
  bus.deliver();
  bus.deliver();
  expect(heard).toEqual(['1 one']);
  const failing = () =>
    transaction(db, () => {
      bus.append(event('two'));
      throw new Error('no');
    });
  expect(failing).toThrow('no');
  bus.deliver();
  expect(heard).toEqual(['1 one']);
});

it('goes on counting after a restart, and knows what was missed', async () => {
  const { bus, open, heard, listen } = await world();
  bus.append(event('one'));
  bus.append(event('two'));
  const again = open();
  listen(again);
  again.append(event('three'));
  again.deliver();
  expect(heard).toEqual(['3 three']);
  expect(again.since(1)?.map(({ id }) => id)).toEqual([2, 3]);
  expect(again.since(3)).toEqual([]);
  expect(again.since(99)).toBeNull();
});

it('keeps a limited number, and says when some are gone', async () => {
  const { bus } = await world(100);
  for (let n = 0; n < 500; n += 1) bus.append(event('x'));
  expect(bus.since(399)).toBeNull();
  expect(bus.since(400)?.length).toBe(100);
});

it('tells what need not be kept to those who listen now', async () => {
  const { bus, heard, listen } = await world();
  const stop = listen(bus);
  bus.publish(event('now'));
  stop();
  bus.publish(event('later'));
  expect(heard).toEqual(['- now']);
  expect(bus.since(0)).toEqual([]);
});
