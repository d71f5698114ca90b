import { describe, expect, it } from 'vitest';
import { resultFrame, type Probe } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { bridgeWorld } from './testing/bridge-world.ts';
import { runParams } from './testing/run-params.ts';

const options = (more: { browser?: string; connector?: string; extraMs?: number; signal?: AbortSignal } = {}) => ({
  connector: 'demo',
  signal: new AbortController().signal,
  ...more,
});
const other = (digit: string, name = '') => ({ hello: { browser_id: digit.repeat(16), profile: name } });
const PROBE: Probe = { pluginId: 'demo', host_match: 'https://demo.test/*', runner: 'main', timeout_ms: 30_000 };

/** The server hears of a cut only when its own socket ends. */
const gone = async (router: { isConnected(id: string): boolean }, id: string) =>
  expect.poll(() => router.isConnected(id), { interval: 5 }).toBe(false);

describe('a request', () => {
  it('D-09 C-02 goes to the browser as it is, and its body comes back unread', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    const params = runParams({ script: 'return args', args: '{"a":"\\n"}' });
    const answer = router.request('connector.run', params, options());
    const asked = await extension.nextAsked();
    expect(asked).toMatchObject({ method: 'connector.run', params });
    const body = '{ "spaces":  [1, 2.50],\n"and": "line\\nbreaks" }';
    asked.reply({ url: 'https://demo.test/x', timings: { run: 3 } }, body);
    expect(await answer).toEqual({ result: { url: 'https://demo.test/x', timings: { run: 3 } }, body });
  });

  it('D-10 carries a probe the same way', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    const answer = router.request('connector.probe', PROBE, options());
    const asked = await extension.nextAsked<'connector.probe'>();
    expect(asked.params).toEqual(PROBE);
    asked.reply({ ok: false, error: 'login required', url: 'https://demo.test/login' });
    expect((await answer).result).toEqual({ ok: false, error: 'login required', url: 'https://demo.test/login' });
  });

  it('an error keeps its code', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    const answer = router.request('connector.run', runParams(), options());
    const failed = expect(answer).rejects.toMatchObject({ code: 'login_required', message: 'log in first' });
    (await extension.nextAsked()).fails({ code: 'login_required', message: 'log in first' });
    await failed;
  });

  it('many at once get their own answers, in whatever order they come', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    const answers = Array.from({ length: 60 }, (_, index) =>
      router.request('connector.run', runParams({ call_id: `call_${index}` }), options()),
    );
    const asked = await Promise.all(answers.map(() => extension.nextAsked()));
    expect(new Set(asked.map(({ id }) => id)).size).toBe(60);
    for (const one of asked.toReversed()) one.returns(one.params.call_id);
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies).toEqual(answers.map((_, index) => `"call_${index}"`));
  });

  it('refuses more than a browser can take', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    const answers = Array.from({ length: 100 }, () => router.request('connector.run', runParams(), options()));
    await expect(router.request('connector.run', runParams(), options())).rejects.toMatchObject({
      code: 'browser_busy',
    });
    for (let left = 100; left > 0; left -= 1) (await extension.nextAsked()).returns(null);
    await Promise.all(answers);
    extension.onRequest = (asked) => asked.returns(null);
    expect((await router.request('connector.run', runParams(), options())).body).toBe('null');
  });
});

describe('an end before the answer', () => {
  it('the deadline: the caller is told, and so is the browser', async () => {
    const { pair, router, clock, logLines } = await bridgeWorld();
    const { extension } = await pair();
    const answer = router.request('connector.run', runParams({ timeout_ms: 5000 }), options());
    const failed = expect(answer).rejects.toMatchObject({ code: 'call_timeout' });
    const asked = await extension.nextAsked();
    // A moment more than the browser has, so that its own, more particular failure comes first.
    clock.advance(5999);
    clock.advance(1);
    await failed;
    expect(await extension.nextCancelled()).toBe('call_1');
    // Its answer comes too late, which is nobody's fault.
    asked.returns('late');
    await extension.settled();
    expect(logLines.filter((line) => line.includes('what was not asked'))).toEqual([]);
  });

  it('a person who is asked first gets their own time', async () => {
    const { pair, router, clock } = await bridgeWorld();
    const { extension } = await pair();
    const params = runParams({ timeout_ms: 5000, approval: { reason: 'r', timeout_ms: 10_000 } });
    const answer = router.request('connector.run', params, options({ extraMs: 10_000 }));
    const asked = await extension.nextAsked();
    clock.advance(15_000);
    asked.returns('in time');
    expect((await answer).body).toBe('"in time"');
  });

  it.each([
    ['the caller leaves', new Error('gone'), 'cancelled'],
    ['Forge stops', new ForgeError('shutting_down', 'Forge is stopping'), 'shutting_down'],
  ])('%s', async (_title, reason, code) => {
    const { pair, router, logLines } = await bridgeWorld();
    const { extension } = await pair();
    const controller = new AbortController();
    const answer = router.request(
      'connector.run',
      runParams({ call_id: 'call_7' }),
      options({ signal: controller.signal }),
    );
    const failed = expect(answer).rejects.toMatchObject({ code });
    const asked = await extension.nextAsked();
    controller.abort(reason);
    await failed;
    expect(await extension.nextCancelled()).toBe('call_7');
    asked.fails({ code: 'cancelled', message: 'stopped' });
    await extension.settled();
    const strays = () => logLines.filter((line) => line.includes('what was not asked')).length;
    expect(strays()).toBe(0);
    asked.returns('twice');
    await extension.settled();
    expect(strays()).toBe(1);
  });

  it('a caller that has left already sends nothing', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    await expect(
      router.request('connector.run', runParams(), options({ signal: AbortSignal.abort() })),
    ).rejects.toMatchObject({ code: 'cancelled' });
    await extension.settled();
    expect(extension.asked).toEqual([]);
  });
});

describe('losing the connection', () => {
  it('the answer counts when the same browser brings it back in time', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    const answer = router.request('connector.run', runParams(), options());
    const { id } = await paired.extension.nextAsked();
    await paired.extension.cut();
    await gone(router, paired.id);
    clock.advance(1900);
    const again = await reconnect(paired);
    again.sendRaw(resultFrame(id, { url: 'https://demo.test/', timings: {} }, '"kept"'));
    expect((await answer).body).toBe('"kept"');
    expect(again.asked).toEqual([]);
  });

  it('a call that the browser says still runs is waited for as long as any, over one cut after the other', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    const answer = router.request('connector.run', runParams({ call_id: 'call_8' }), options());
    const { id } = await paired.extension.nextAsked();
    let extension = paired.extension;
    for (let cut = 0; cut < 3; cut += 1) {
      await extension.cut();
      await gone(router, paired.id);
      clock.advance(1900);
      extension = await reconnect(paired, { hello: { running: ['call_8'] } });
      clock.advance(10_000);
    }
    extension.sendRaw(resultFrame(id, { url: 'https://demo.test/', timings: {} }, '"worth it"'));
    expect((await answer).body).toBe('"worth it"');
    expect([extension.asked, extension.cancelled]).toEqual([[], []]);
  });

  it('a call that the browser says nothing of ends with the grace period, also when the browser is back', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    const answer = router.request('connector.run', runParams({ call_id: 'call_8' }), options());
    const failed = expect(answer).rejects.toMatchObject({ code: 'bridge_offline' });
    await paired.extension.nextAsked();
    await paired.extension.cut();
    await gone(router, paired.id);
    const again = await reconnect(paired, { hello: { running: [] } });
    clock.advance(2000);
    await failed;
    expect(await again.nextCancelled()).toBe('call_8');
  });

  it('a call that the server knows nothing of, as after it was killed, is stopped', async () => {
    const { pair, reconnect } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.cut();
    const again = await reconnect(paired, { hello: { running: ['call_of_a_former_life'] } });
    expect(await again.nextCancelled()).toBe('call_of_a_former_life');
  });

  it('a call that still runs ends at its own deadline', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    const answer = router.request('connector.run', runParams({ timeout_ms: 30_000 }), options());
    const failed = expect(answer).rejects.toMatchObject({ code: 'call_timeout' });
    await paired.extension.nextAsked();
    await reconnect(paired, { hello: { running: ['call_1'] } });
    clock.advance(31_000);
    await failed;
  });

  it('else the call ends, is never sent again, and the browser is told to stop when it is back', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    const answer = router.request('connector.run', runParams({ call_id: 'call_9' }), options());
    const failed = expect(answer).rejects.toMatchObject({ code: 'bridge_offline' });
    const { id } = await paired.extension.nextAsked();
    await paired.extension.cut();
    await gone(router, paired.id);
    clock.advance(2000);
    await failed;
    const again = await reconnect(paired);
    expect(await again.nextCancelled()).toBe('call_9');
    again.sendRaw(resultFrame(id, { url: 'https://demo.test/', timings: {} }, '"late"'));
    await again.settled();
    expect(again.asked).toEqual([]);
  });

  it('a call on a socket that was replaced does not hang', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    const answer = router.request('connector.run', runParams(), options());
    const failed = expect(answer).rejects.toMatchObject({ code: 'bridge_offline' });
    await paired.extension.nextAsked();
    const again = await reconnect(paired);
    clock.advance(2000);
    await failed;
    expect(await again.nextCancelled()).toBe('call_1');
    const next = router.request('connector.run', runParams(), options());
    (await again.nextAsked()).returns('next');
    expect((await next).body).toBe('"next"');
  });

  it('a call that comes in between waits for the browser, inside its own deadline', async () => {
    const { pair, router, reconnect, clock } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.cut();
    await gone(router, paired.id);
    clock.advance(14_000);
    const answer = router.request('connector.run', runParams({ timeout_ms: 30_000 }), options());
    clock.advance(4000);
    const again = await reconnect(paired);
    const asked = await again.nextAsked();
    expect(asked.params.timeout_ms).toBe(26_000);
    asked.returns('worth the wait');
    expect((await answer).body).toBe('"worth the wait"');
  });

  it.each([
    ['five seconds', 30_000, 5000],
    ['its own deadline', 1000, 1000],
  ])('but no longer than %s', async (_title, timeout_ms, wait) => {
    const { pair, router, clock } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.cut();
    await gone(router, paired.id);
    const answer = router.request('connector.run', runParams({ timeout_ms }), options({ browser: paired.id }));
    const failed = expect(answer).rejects.toMatchObject({ code: 'extension_missing' });
    clock.advance(wait);
    await failed;
  });

  it('waiting ends with the caller, with a revoke and with Forge', async () => {
    const { pair, router, server } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.cut();
    await gone(router, paired.id);
    const controller = new AbortController();
    const left = router.request('connector.run', runParams(), options({ signal: controller.signal }));
    const failed = expect(left).rejects.toMatchObject({ code: 'cancelled' });
    controller.abort();
    await failed;
    const stopped = expect(router.request('connector.run', runParams(), options())).rejects.toMatchObject({
      code: 'extension_missing',
    });
    server.revoke(paired.id);
    await stopped;
    const second = await pair(other('2'));
    await second.extension.cut();
    await gone(router, second.id);
    const ended = expect(router.request('connector.run', runParams(), options())).rejects.toMatchObject({
      code: 'shutting_down',
    });
    await server.close();
    await ended;
  });

  it('after a start, browsers that are paired are waited for', async () => {
    const { pair, router, browsers, clock, reconnect } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.cut();
    await gone(router, paired.id);
    clock.advance(60_000);
    router.expect(browsers.list().map(({ id }) => id));
    const answer = router.request('connector.run', runParams(), options());
    (await (await reconnect(paired)).nextAsked()).returns('back');
    expect((await answer).body).toBe('"back"');
  });
});
