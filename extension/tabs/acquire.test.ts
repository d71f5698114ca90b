import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { SITE, options, setUp, wanted } from './testing/finder-world.ts';

describe('acquiring a tab', () => {
  it('uses an open tab at once when it is on target', async () => {
    const { finder, log } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    const { tab } = await finder.acquire(wanted({ onTarget: '/issues/' }), options());
    expect(tab).toMatchObject({ id: 1, documentId: 'doc1' });
    expect(log).toEqual([]);
  });

  it('C-33 navigates a tab behind the others and waits for it, settle time included', async () => {
    const { finder, log, clock } = setUp([{ id: 1, url: `${SITE}/browse/A-1` }]);
    let isDone = false;
    const lease = finder.acquire(wanted(), options({ settleMs: 500 })).finally(() => (isDone = true));
    await clock.advance(100 + 60 + 499);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect((await lease).tab).toMatchObject({ id: 1, url: `${SITE}/issues/`, documentId: 'new1' });
    expect(log).toEqual([`navigate 1 ${SITE}/issues/`]);
  });

  it.each([
    ['/issues/', `navigate 1 ${SITE}/issues/`],
    ['/#/issues', 'reload 1'],
  ])('C-108 loads %s again for who wants to know whether its session still exists', async (path, done) => {
    const { finder, log, clock } = setUp([{ id: 1, url: `${SITE}${path}` }]);
    const lease = finder.acquire(wanted({ url: null, isFresh: true }), options());
    await clock.advance(200);
    expect((await lease).tab).toMatchObject({ id: 1, documentId: 'new1' });
    expect(log).toEqual([done]);
  });

  it.each([
    ['it is in front', { active: true }, false],
    ['something is typed in it', {}, true],
  ])('opens a tab of its own instead of navigating one when %s', async (_, changes, isUnsaved) => {
    const { finder, log, clock, unsaved } = setUp([{ id: 1, url: `${SITE}/browse/A-1`, ...changes }]);
    if (isUnsaved) unsaved.add(1);
    const lease = finder.acquire(wanted(), options());
    await clock.advance(200);
    expect((await lease).tab.id).toBe(100);
    expect(log).toEqual([`open ${SITE}/issues/`]);
  });

  it('leaves a page alone that does not say what is typed in it, until it does', async () => {
    const { finder, log, clock, hung, close } = setUp([{ id: 1, url: `${SITE}/browse/A-1` }]);
    let answer: (isUnsaved: boolean) => void = () => undefined;
    hung.set(1, new Promise((resolve) => (answer = resolve)));
    const use = async (ms: number): Promise<number> => {
      const lease = finder.acquire(wanted(), options());
      await clock.advance(ms);
      const { tab, release } = await lease;
      release();
      return tab.id;
    };
    expect(await use(1000 + 200)).toBe(100);
    close(100);
    expect(await use(200)).toBe(101);
    close(101);
    hung.delete(1);
    answer(false);
    await clock.advance(0);
    expect(await use(200)).toBe(1);
    expect(log).toEqual([`open ${SITE}/issues/`, `open ${SITE}/issues/`, `navigate 1 ${SITE}/issues/`]);
  });

  it('closes a tab of its own whose page does not answer', async () => {
    const { finder, log, clock, hung } = setUp();
    const opened = finder.acquire(wanted(), options());
    await clock.advance(200);
    (await opened).release();
    hung.set(100, new Promise(() => undefined));
    const next = finder.acquire(wanted(), options());
    await clock.advance(1200);
    expect((await next).tab.id).toBe(101);
    expect(log).toEqual([`open ${SITE}/issues/`, 'close 100', `open ${SITE}/issues/`]);
  });

  it('ends with the call while a page does not answer, and the tab is free for the next', async () => {
    const { finder, clock, hung } = setUp([{ id: 1, url: `${SITE}/browse/A-1` }]);
    hung.set(1, new Promise(() => undefined));
    const stop = new AbortController();
    const lease = finder.acquire(wanted(), options({ signal: stop.signal }));
    await clock.advance(300);
    stop.abort(new ForgeError('call_timeout', 'Too slow.'));
    await expect(lease).rejects.toMatchObject({ code: 'call_timeout' });
    expect(clock.pending).toBe(0);
    expect((await finder.acquire(wanted({ onTarget: '/browse/' }), options())).tab.id).toBe(1);
  });

  it('reloads a discarded tab before it is used', async () => {
    const { finder, log, clock } = setUp([{ id: 1, url: `${SITE}/issues/`, isDiscarded: true }]);
    const lease = finder.acquire(wanted({ onTarget: '/issues/' }), options());
    await clock.advance(200);
    expect((await lease).tab).toMatchObject({ id: 1, isDiscarded: false, documentId: 'new1' });
    expect(log).toEqual(['reload 1']);
  });

  it('calls that arrive together share one new tab, one after the other', async () => {
    const { finder, log, clock } = setUp();
    const leases = [1, 2, 3].map(() => finder.acquire(wanted({ onTarget: '/issues/' }), options()));
    await clock.advance(200);
    const first = await leases[0]!;
    first.release();
    const second = await leases[1]!;
    second.release();
    (await leases[2]!).release();
    expect(log).toEqual([`open ${SITE}/issues/`]);
    expect(second.tab.id).toBe(first.tab.id);
  });

  it('W-12 an ephemeral tab is closed afterwards, others stay', async () => {
    const { finder, log, clock } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    const lease = finder.acquire(wanted({ strategy: 'ephemeral' }), options());
    await clock.advance(200);
    (await lease).release();
    expect(log).toEqual([`open ${SITE}/issues/`, 'close 100']);
    (await finder.acquire(wanted({ url: null }), options())).release();
    expect(log).toHaveLength(2);
  });

  it('a tab with a script that was given up is closed if it is Forge’s, and let be if it is the person’s', async () => {
    const { finder, log, clock, own } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    (await finder.acquire(wanted({ url: null }), options())).giveUp();
    const other = finder.acquire(wanted({ url: null }), options());
    await clock.advance(200);
    (await other).giveUp();
    expect(log).toEqual([`open ${SITE}/`, 'close 100']);
    expect(own.has(100)).toBe(false);
    finder.pageGone(1);
    expect((await finder.acquire(wanted({ url: null }), options())).tab.id).toBe(1);
  });

  it('a tab with several scripts that were given up is free when the last of them has ended', async () => {
    const { finder, clock } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    const quick = options({ isQuick: true });
    const leases = await Promise.all([1, 2].map(() => finder.acquire(wanted({ url: null }), quick)));
    const [first, second] = leases.map((lease) => lease.giveUp());
    first?.();
    const other = finder.acquire(wanted({ url: null }), options());
    await clock.advance(200);
    expect((await other).tab.id).toBe(100);
    (await other).giveUp();
    second?.();
    second?.();
    expect((await finder.acquire(wanted({ url: null }), options())).tab.id).toBe(1);
  });

  it('a quick call that waits to be alone neither takes a tab that was given up meanwhile, nor closes one under another call', async () => {
    const { finder, clock, log, mirror, own, set } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    const stop = new AbortController();
    const quick = options({ isQuick: true });
    const inside = await finder.acquire(wanted({ url: null }), quick);
    mirror.updated(1, { isLoading: true });
    const waiting = finder.acquire(wanted({ url: null }), quick);
    own.add(1, { hostMatch: `${SITE}/*`, strategy: 'reuse' });
    const leaving = finder.acquire(wanted({ url: null }), options({ isQuick: true, signal: stop.signal }));
    await clock.advance(10);
    stop.abort(new ForgeError('cancelled', 'Stopped.'));
    await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
    expect(log).toEqual([]);
    own.forget(1);
    set(1, { isLoading: false });
    inside.giveUp();
    await clock.advance(500);
    expect((await waiting).tab.id).toBe(100);
  });

  it('a tab that is closed while a call waits for it is replaced by another', async () => {
    const { finder, clock, close, log } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    const first = await finder.acquire(wanted({ url: null }), options());
    const second = finder.acquire(wanted({ url: null }), options());
    close(1);
    first.release();
    await clock.advance(200);
    expect((await second).tab.id).toBe(100);
    expect(log).toEqual([`open ${SITE}/`]);
  });

  it('a quick call that finds its page gone waits for its turn to bring it back', async () => {
    const { finder, clock, log, mirror, set } = setUp([{ id: 1, url: `${SITE}/issues/` }]);
    const quick = options({ isQuick: true });
    const onTarget = wanted({ onTarget: '/issues/' });
    const [a, b] = await Promise.all([finder.acquire(onTarget, quick), finder.acquire(onTarget, quick)]);
    set(1, { url: `${SITE}/elsewhere`, documentId: 'other' });
    mirror.committed(1, `${SITE}/elsewhere`, 'other');
    const third = finder.acquire(onTarget, quick);
    await clock.advance(500);
    expect(log).toEqual([]);
    a.release();
    b.release();
    await clock.advance(200);
    expect((await third).tab.url).toBe(`${SITE}/issues/`);
    expect(log).toEqual([`navigate 1 ${SITE}/issues/`]);
  });

  it('ends with the call, closes the tab it opened for it, and says that it was loading', async () => {
    const { finder, clock, log } = setUp();
    const stop = new AbortController();
    const stages: boolean[] = [];
    const onLoading = (isLoading: boolean): void => void stages.push(isLoading);
    const lease = finder.acquire(wanted({ url: `${SITE}/never` }), options({ signal: stop.signal, onLoading }));
    await clock.advance(5000);
    stop.abort(new ForgeError('navigation_timeout', 'Too slow.'));
    await expect(lease).rejects.toMatchObject({ code: 'navigation_timeout' });
    expect(stages).toEqual([true]);
    expect(log).toEqual([`open ${SITE}/never`, 'close 100']);
  });

  it('closes its own tabs when they are idle, and not while they work', async () => {
    const { finder, clock, log } = setUp();
    const opened = finder.acquire(wanted(), options());
    await clock.advance(200);
    const lease = await opened;
    await clock.advance(10 * 60_000);
    finder.closeIdle();
    expect(log).toEqual([`open ${SITE}/issues/`]);
    lease.release();
    await clock.advance(3 * 60_000);
    finder.closeIdle();
    expect(log).toEqual([`open ${SITE}/issues/`, 'close 100']);
  });
});
