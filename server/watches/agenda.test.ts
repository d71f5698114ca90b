import { expect, it } from 'vitest';
import { manualClock } from '../bridge/testing/manual-clock.ts';
import { Agenda } from './agenda.ts';

function world() {
  const clock = manualClock(0);
  const due: string[] = [];
  const agenda = new Agenda(clock, (id, at) => due.push(`${id}@${at}`));
  const take = () => due.splice(0);
  return { clock, agenda, take };
}

it('hands out what is due, in order and at its time, with one timer', () => {
  const { clock, agenda, take } = world();
  for (const [index, at] of [500, 100, 300, 200, 400, 100].entries()) agenda.set(`t${index}`, at);
  expect(clock.pending()).toBe(1);
  clock.advance(99);
  expect(take()).toEqual([]);
  clock.advance(1);
  expect(take().sort()).toEqual(['t1@100', 't5@100']);
  clock.advance(1000);
  expect(take()).toEqual(['t3@200', 't2@300', 't4@400', 't0@500']);
  expect([agenda.size, clock.pending()]).toEqual([0, 0]);
});

it('what was moved or dropped is not due at its old time', () => {
  const { clock, agenda, take } = world();
  agenda.set('a', 100);
  agenda.set('b', 100);
  agenda.set('c', 300);
  agenda.set('a', 200);
  agenda.drop('b');
  agenda.set('c', 50);
  clock.advance(1000);
  expect(take()).toEqual(['c@50', 'a@200']);
});

it('what is long past is due at once, and what is set while handing out is not lost', () => {
  const clock = manualClock(0);
  const due: number[] = [];
  const agenda: Agenda = new Agenda(clock, (id, at) => {
    due.push(at);
    if (at < 30) agenda.set(id, at + 10);
  });
  clock.advance(1000);
  agenda.set('a', 10);
  clock.advance(0);
  expect(due).toEqual([10, 20, 30]);
});

it('does not trust a timer for longer than a minute, because clocks are set', () => {
  const { clock, agenda, take } = world();
  agenda.set('a', 3_600_000);
  expect(clock.nextAt()).toBe(60_000);
  clock.advance(3_599_999);
  expect(take()).toEqual([]);
  clock.advance(1);
  expect(take()).toEqual(['a@3600000']);
});

it('hands out nothing once it is stopped', () => {
  const { clock, agenda, take } = world();
  agenda.set('a', 100);
  agenda.stop();
  agenda.set('b', 100);
  clock.advance(1000);
  expect([take(), clock.pending()]).toEqual([[], 0]);
});

it('agrees with a sorted list, whatever is set, moved and dropped', () => {
  const { clock, agenda, take } = world();
  const wanted = new Map<string, number>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let step = 0; step < 5000; step += 1) {
    const id = `t${random(300)}`;
    if (random(5) === 0) {
      agenda.drop(id);
      wanted.delete(id);
    } else {
      const at = 1 + random(50_000);
      agenda.set(id, at);
      wanted.set(id, at);
    }
  }
  clock.advance(60_000);
  const times = take().map((entry) => entry.split('@') as [string, string]);
  expect(times.map(([, at]) => Number(at))).toEqual([...wanted.values()].sort((a, b) => a - b));
  expect(Object.fromEntries(times)).toEqual(Object.fromEntries([...wanted].map(([id, at]) => [id, String(at)])));
});
