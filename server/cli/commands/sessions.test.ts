import { describe, expect, it } from 'vitest';
import { cliWorld } from '../testing/cli-world.ts';

describe('forge sessions', () => {
  it('S10 lists the pages that are signed in, and signs one out', async () => {
    const world = cliWorld();
    const { services } = await world.startServer();
    expect((await world.run('sessions')).stdout).toContain('No page is signed in');
    const { session, credentials } = services.pageSessions.begin('Firefox\u001b[2J');
    services.pageSessions.begin('Chromium');
    const { stdout } = await world.run('sessions list');
    expect(stdout).toMatch(new RegExp(`^${session.id} +[\\d:]+ +[\\d:]+ +Firefox`, 'm'));
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).not.toContain(credentials.key);
    expect(await world.run(`sessions revoke ${session.id}`)).toMatchObject({
      code: 0,
      stdout: `${session.id} is signed out\n`,
    });
    expect(services.pageSessions.find([credentials.cookie], credentials.key)).toBeNull();
    expect(JSON.parse((await world.run('sessions --json')).stdout).sessions).toHaveLength(1);
  });

  it.each(['page_0000000000000000', '../auth/rotate'])('has nothing to revoke called %s', async (id) => {
    expect((await cliWorld().run(`sessions revoke ${id}`)).code).toBe(1);
  });
});
