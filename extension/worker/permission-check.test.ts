import { describe, expect, it } from 'vitest';
import { createPermissionCheck } from './permission-check.ts';

function setUp(allowed: string[], stored: Record<string, unknown> = {}) {
  const cache = { has: (origin: string) => Promise.resolve(allowed.includes(origin)), clear: () => undefined };
  const storage = {
    get: () => Promise.resolve(stored),
    set: (values: Record<string, unknown>) => Promise.resolve(void Object.assign(stored, values)),
  };
  let told = 0;
  const isOwnPattern = (pattern: string): boolean => pattern.includes(':8403/');
  const permissions = createPermissionCheck({ cache, storage, isOwnPattern, onWanted: () => (told += 1) });
  return { permissions, stored, told: () => told };
}

const WHY = 'Jira: list_my_issues';

describe('permission for a site', () => {
  it('one allowed scheme is enough, and a missing one names the site and the step', async () => {
    const allowed = ['https://a.example/*'];
    const { permissions } = setUp(allowed);
    await permissions.check(['http://a.example/*', 'https://a.example/*'], WHY);
    await expect(permissions.check(['https://b.example:8080/*'], WHY)).rejects.toMatchObject({
      code: 'permission_missing',
      message: expect.stringContaining('https://b.example:8080 '),
      hint: expect.stringContaining('popup'),
    });
    const both = ['http://c.example/*', 'https://c.example/*'];
    await expect(permissions.check(both, WHY)).rejects.toThrow('*://c.example ');
    expect(permissions.wanted()).toEqual([
      { site: 'https://b.example:8080', origins: ['https://b.example:8080/*'], why: WHY },
      { site: '*://c.example', origins: both, why: WHY },
    ]);
    allowed.push('https://b.example:8080/*', 'https://c.example/*');
    await permissions.refresh();
    expect(permissions.wanted()).toEqual([]);
    await permissions.check(['https://b.example:8080/*'], WHY);
  });

  it('S1 is neither asked for nor given for Forge’s own page', async () => {
    const own = ['http://127.0.0.1:8403/*', 'https://127.0.0.1:8403/*'];
    const { permissions, told } = setUp(own);
    await expect(permissions.check(own, WHY)).rejects.toMatchObject({ code: 'address_refused' });
    expect([permissions.wanted(), told()]).toEqual([[], 0]);
  });

  it('says what needed the site last, and tells of it once', async () => {
    const { permissions, told } = setUp([]);
    for (const why of [WHY, WHY, 'Wiki: search'])
      await expect(permissions.check(['https://a.example/*'], why)).rejects.toThrow('a.example');
    expect(permissions.wanted()).toMatchObject([{ why: 'Wiki: search' }]);
    expect(told()).toBe(2);
  });

  it('the next worker still asks for what is missing, and not for what was allowed meanwhile', async () => {
    const before = setUp([]);
    for (const site of ['a', 'b'])
      await expect(before.permissions.check([`https://${site}.example/*`], WHY)).rejects.toThrow();
    const { permissions, told } = setUp(['https://b.example/*'], before.stored);
    await permissions.restore();
    expect(permissions.wanted()).toEqual([{ site: 'https://a.example', origins: ['https://a.example/*'], why: WHY }]);
    expect(told()).toBe(1);
  });
});
