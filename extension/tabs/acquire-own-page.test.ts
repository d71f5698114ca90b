import { describe, expect, it } from 'vitest';
import type { Wanted } from './choose-tab.ts';
import { matchPattern } from './match-pattern.ts';
import { options, setUp, wanted } from './testing/finder-world.ts';

describe('S1 Forge’s own page is never acquired', () => {
  const OWN = 'http://127.0.0.1:8403/activity';
  const OTHER = 'http://127.0.0.1:5000/x';
  const local = (changes: Partial<Wanted> = {}): Wanted =>
    wanted({ hostMatch: 'http://127.0.0.1/*', pattern: matchPattern('http://127.0.0.1/*'), url: null, ...changes });
  const REFUSED = { code: 'address_refused' };

  it('is passed over for another tab, however long ago that was used', async () => {
    const { finder } = setUp([
      { id: 1, url: OWN, lastAccessed: 9 },
      { id: 2, url: OTHER, lastAccessed: 1 },
    ]);
    expect((await finder.acquire(local(), options())).tab.id).toBe(2);
  });

  it('is not gone to', async () => {
    const { finder, log } = setUp([{ id: 2, url: OTHER }]);
    await expect(finder.acquire(local({ url: OWN }), options())).rejects.toMatchObject(REFUSED);
    const own = { hostMatch: 'http://127.0.0.1:8403/*', pattern: matchPattern('http://127.0.0.1:8403/*') };
    await expect(finder.acquire(local(own), options())).rejects.toMatchObject(REFUSED);
    expect(log).toEqual([]);
  });

  it('ends a call that a site has led there, and the tab that was opened for it', async () => {
    const { finder, clock, log } = setUp([], { [OTHER]: OWN });
    const lease = finder.acquire(local({ url: OTHER }), options());
    const refused = expect(lease).rejects.toMatchObject(REFUSED);
    await clock.advance(200);
    await refused;
    expect(log).toEqual([`open ${OTHER}`, 'close 100']);
  });

  it('is found when the tab has gone there while the call waited for its turn', async () => {
    const { finder, clock, set, log } = setUp([{ id: 1, url: OTHER }]);
    const first = await finder.acquire(local(), options());
    const second = finder.acquire(local({ url: OTHER, onTarget: '/x' }), options());
    set(1, { url: OWN, documentId: 'own' });
    first.release();
    await clock.advance(200);
    expect((await second).tab).toMatchObject({ id: 100, url: OTHER });
    expect(log).toEqual([`open ${OTHER}`]);
  });
});
