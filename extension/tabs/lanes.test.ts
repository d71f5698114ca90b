import { describe, expect, it } from 'vitest';
import { createLanes } from './lanes.ts';

const forever = new AbortController().signal;

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe('W-21 one call at a time in a tab', () => {
  it('lets calls in by arrival, and tabs are independent', async () => {
    const lanes = createLanes();
    const log: string[] = [];
    const first = await lanes.enter(1, true, forever);
    const waiting = ['b', 'c'].map((name) => lanes.enter(1, true, forever).then((place) => (log.push(name), place)));
    await lanes.enter(2, true, forever);
    await settled();
    expect(log).toEqual([]);
    first.leave();
    first.leave();
    await settled();
    expect(log).toEqual(['b']);
    (await waiting[0]!).leave();
    await settled();
    expect(log).toEqual(['b', 'c']);
    expect(lanes.isBusy(1)).toBe(true);
    (await waiting[1]!).leave();
    expect(lanes.isBusy(1)).toBe(false);
  });

  it('a call that gives up while waiting holds nobody up', async () => {
    const lanes = createLanes();
    const first = await lanes.enter(1, true, forever);
    const stop = new AbortController();
    const second = lanes.enter(1, true, stop.signal);
    const third = lanes.enter(1, true, forever);
    stop.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    first.leave();
    (await third).leave();
    await expect(lanes.enter(1, true, stop.signal)).rejects.toThrow('stopped');
    expect(lanes.isBusy(1)).toBe(false);
  });

  it('quick calls share the tab, but not with one that needs it for itself', async () => {
    const lanes = createLanes();
    const log: string[] = [];
    const enter = (name: string, isAlone: boolean) =>
      lanes.enter(1, isAlone, forever).then((place) => (log.push(name), place));
    const places = [enter('a', false), enter('b', false), enter('C', true), enter('d', false)];
    await settled();
    expect(log).toEqual(['a', 'b']);
    (await places[0]!).leave();
    await settled();
    expect(log).toEqual(['a', 'b']);
    (await places[1]!).leave();
    await settled();
    expect(log).toEqual(['a', 'b', 'C']);
    (await places[2]!).leave();
    await settled();
    expect(log).toEqual(['a', 'b', 'C', 'd']);
  });

  it('two quick calls that both need the tab for themselves get it in order', async () => {
    const lanes = createLanes();
    const log: string[] = [];
    const [a, b] = await Promise.all([lanes.enter(1, false, forever), lanes.enter(1, false, forever)]);
    const later = lanes.enter(1, false, forever).then((place) => (log.push('later'), place));
    const alone = [b, a].map((place) => place.becomeAlone(forever).then(() => log.push(place === a ? 'a' : 'b')));
    await later.then((place) => place.leave());
    await settled();
    a.leave();
    await settled();
    b.leave();
    await Promise.all(alone);
    expect(log).toEqual(['later', 'a', 'b']);
    expect(lanes.isBusy(1)).toBe(false);
  });

  it('a call that has been given up before does not wait to be alone', async () => {
    const lanes = createLanes();
    const stop = new AbortController();
    const [a, b] = await Promise.all([lanes.enter(1, false, stop.signal), lanes.enter(1, false, forever)]);
    stop.abort(new Error('stopped'));
    await expect(a.becomeAlone(stop.signal)).rejects.toThrow('stopped');
    expect([a.isInside(), b.isInside()]).toEqual([false, true]);
    a.leave();
    b.leave();
    expect(lanes.isBusy(1)).toBe(false);
  });
});
