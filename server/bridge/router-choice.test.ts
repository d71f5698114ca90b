import { describe, expect, it } from 'vitest';
import { bridgeWorld } from './testing/bridge-world.ts';
import type { FakeExtension } from './testing/fake-extension.ts';
import { runParams } from './testing/run-params.ts';

const options = (more: { browser?: string; connector?: string; signal?: AbortSignal } = {}) => ({
  connector: 'demo',
  signal: new AbortController().signal,
  ...more,
});
const other = (digit: string, name = '') => ({ hello: { browser_id: digit.repeat(16), profile: name } });

/** The server hears of a cut only when its own socket ends. */
const gone = async (router: { isConnected(id: string): boolean }, id: string) =>
  expect.poll(() => router.isConnected(id), { interval: 5 }).toBe(false);

describe('which browser', () => {
  const answering = (name: string, { extension }: { extension: FakeExtension }) => {
    extension.onRequest = (asked) => asked.returns(name);
  };
  const ask = async ({ router }: Awaited<ReturnType<typeof bridgeWorld>>, browser?: string, connector = 'demo') =>
    JSON.parse(
      (
        await router.request(
          'connector.run',
          runParams(),
          options({ connector, ...(browser === undefined ? {} : { browser }) }),
        )
      ).body ?? '',
    ) as unknown;

  it('K-55 the one named by id or by name', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    answering('home', home);
    answering('work', work);
    expect(await ask(world, home.id)).toBe('home');
    expect(await ask(world, 'chromium on linux (work)')).toBe('work');
    await expect(ask(world, 'Laptop')).rejects.toMatchObject({
      code: 'browser_not_found',
      message: expect.stringContaining('Chromium on Linux (Home), Chromium on Linux (Work)'),
    });
  });

  it('K-55 else the one active last, and then the one where the connector worked', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    answering('home', home);
    answering('work', work);
    expect(await ask(world)).toBe('work');
    expect(await ask(world, home.id, 'jira')).toBe('home');
    expect(await ask(world, work.id, 'wiki')).toBe('work');
    expect(await ask(world, undefined, 'jira')).toBe('home');
    expect(await ask(world, undefined, 'wiki')).toBe('work');
    expect(await ask(world, undefined, 'new')).toBe('work');
  });

  it('K-55 before that, the one that has the site open and is logged in there', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    answering('home', home);
    answering('work', work);
    expect(await ask(world, work.id)).toBe('work');
    home.extension.hasTab = true;
    for (const older of [false, 'older'] as const) {
      work.extension.hasTab = older;
      expect(await ask(world)).toBe('home');
    }
    expect(home.extension.tabsAsked.at(-1)).toEqual({ host_match: 'https://demo.test/*', login_redirect: null });
    home.extension.hasTab = false;
    work.extension.hasTab = true;
    expect(await ask(world)).toBe('work');
    home.extension.hasTab = true;
    expect(await ask(world)).toBe('work');
  });

  it('asking for tabs is no use of a browser', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    const third = await world.pair(other('3', 'Third'));
    for (const { extension } of [home, work, third]) extension.hasTab = false;
    answering('home', home);
    answering('work', work);
    answering('third', third);
    expect(await ask(world, work.id, 'one')).toBe('work');
    expect(await ask(world, third.id, 'two')).toBe('third');
    expect(await ask(world, undefined, 'new')).toBe('third');
    await third.extension.close();
    await gone(world.router, third.id);
    expect(await ask(world, undefined, 'newer')).toBe('work');
  });

  it('a browser that does not say is waited for a moment, which counts, and then is one like any other', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    home.extension.hasTab = true;
    work.extension.hasTab = 'silent';
    const answer = world.router.request('connector.run', runParams({ timeout_ms: 5000 }), options());
    await expect.poll(() => work.extension.tabsAsked.length, { interval: 5 }).toBe(1);
    await home.extension.settled();
    world.clock.advance(300);
    const asked = await home.extension.nextAsked();
    expect(asked.params.timeout_ms).toBe(4700);
    asked.returns('home');
    expect((await answer).body).toBe('"home"');
  });

  it('nobody is asked where there is no choice', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    answering('home', home);
    answering('work', work);
    expect(await ask(world, home.id)).toBe('home');
    work.extension.state({ user_scripts: true, paused: true });
    await work.extension.settled();
    expect(await ask(world)).toBe('home');
    await work.extension.close();
    await gone(world.router, work.id);
    expect(await ask(world)).toBe('home');
    expect([...home.extension.tabsAsked, ...work.extension.tabsAsked]).toEqual([]);
  });

  it('a caller that leaves while browsers are asked sends nothing', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    for (const { extension } of [home, work]) extension.hasTab = 'silent';
    const controller = new AbortController();
    const answer = world.router.request('connector.run', runParams(), options({ signal: controller.signal }));
    const failed = expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => work.extension.tabsAsked.length, { interval: 5 }).toBe(1);
    controller.abort();
    await failed;
    for (const { extension } of [home, work]) {
      await extension.settled();
      expect(extension.asked).toEqual([]);
    }
  });

  it('a failure does not make a browser the one to ask', async () => {
    const world = await bridgeWorld();
    const [home, work] = [await world.pair(other('1', 'Home')), await world.pair(other('2', 'Work'))];
    home.extension.onRequest = (asked) => asked.fails({ code: 'login_required', message: 'log in' });
    answering('work', work);
    await expect(ask(world, home.id)).rejects.toMatchObject({ code: 'login_required' });
    expect(await ask(world, work.id, 'another')).toBe('work');
    expect(await ask(world)).toBe('work');
  });

  it.each([[undefined], ['Chromium on Linux']])('C-112 none is connected: %s', async (browser) => {
    const world = await bridgeWorld();
    const { extension, id } = await world.pair();
    await extension.close();
    await gone(world.router, id);
    world.clock.advance(15_000);
    await expect(ask(world, browser)).rejects.toMatchObject({
      code: 'extension_missing',
      message: expect.stringMatching(/Chromium on Linux.*install \+ sign in to the Forge extension/),
    });
  });

  it('C-112 none was ever paired', async () => {
    await expect(ask(await bridgeWorld())).rejects.toMatchObject({
      code: 'extension_missing',
      message: 'no browser is connected: install + sign in to the Forge extension',
    });
  });
});
