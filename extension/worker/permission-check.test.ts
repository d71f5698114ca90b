import { describe, expect, it } from 'vitest';
import { createPermissionCheck } from './permission-check.ts';

function setUp(allowed: string[]) {
  const cache = { has: (origin: string) => Promise.resolve(allowed.includes(origin)), clear: () => undefined };
  return createPermissionCheck({ cache, onWanted: () => undefined });
}

describe('permission for a site', () => {
  it('one allowed scheme is enough, and a missing one names the site and the step', async () => {
    const allowed = ['https://a.example/*'];
    const permissions = setUp(allowed);
    await permissions.check(['http://a.example/*', 'https://a.example/*']);
    await expect(permissions.check(['https://b.example:8080/*'])).rejects.toMatchObject({
      code: 'permission_missing',
      message: expect.stringContaining('https://b.example:8080 '),
      hint: expect.stringContaining('popup'),
    });
    await expect(permissions.check(['http://c.example/*', 'https://c.example/*'])).rejects.toThrow('*://c.example ');
    expect(permissions.wanted()).toEqual(['https://b.example:8080/*', 'http://c.example/*', 'https://c.example/*']);
    allowed.push('https://b.example:8080/*', 'https://c.example/*');
    await permissions.refresh();
    expect(permissions.wanted()).toEqual([]);
    await permissions.check(['https://b.example:8080/*']);
  });
});
