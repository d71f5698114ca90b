import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';
import { startProxy, type Proxy } from './testing/proxy.ts';

const DEMO = `
id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
tools:
  mark:
    parameters: { id: { type: string, required: true }, ms: { type: number, default: 0 } }
    page: { url: "{base_url}/plain", on_target: /plain }
    timeout_ms: 3000
    script: &mark |
      await fetch('/mark/' + args.id);
      await new Promise((go) => setTimeout(go, args.ms));
      return args.id;
  mark_slowly:
    parameters: { id: { type: string, required: true }, ms: { type: number, default: 0 } }
    page: { url: "{base_url}/plain", on_target: /plain }
    script: *mark
`;

let proxy: Proxy;
let world: BrowserWorld;

beforeAll(async () => {
  proxy = await startProxy();
  // Chromium would otherwise reach this computer's own addresses directly.
  const args = [`--proxy-server=127.0.0.1:${proxy.port}`, '--proxy-bypass-list=<-loopback>'];
  world = await startBrowserWorld({ args });
  await world.install('demo', DEMO);
}, 120_000);

afterAll(async () => {
  await world.close();
  await proxy.close();
});

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;
const marks = (id: string): number => world.site.hits.get(`/mark/${id}`) ?? 0;
const forgePort = (): number => Number(new URL(world.forge.url).port);

/** A call that has begun in its tab. */
async function underWay(id: string, ms: number, tool = 'demo.mark'): Promise<{ ended: Promise<ToolAnswer> }> {
  const ended = world.call(tool, { id, ms });
  await expect.poll(() => marks(id), { interval: 20 }).toBe(1);
  return { ended };
}

describe('a proxy between the browser and Forge', () => {
  it('cuts the socket in the middle of a call: the result still comes, run once, and the next call works', async () => {
    expect(result(await world.call('demo.mark', { id: 'before' }))).toBe('before');
    // Longer than Forge waits for a browser that does not come back.
    const { ended } = await underWay('cut', 3000, 'demo.mark_slowly');
    expect(proxy.tunnels(forgePort())).toBe(1);
    proxy.cut(forgePort());
    expect(result(await ended)).toBe('cut');
    expect(result(await world.call('demo.mark', { id: 'after-cut' }))).toBe('after-cut');
    expect([marks('cut'), marks('after-cut')]).toEqual([1, 1]);
  });

  it('swallows everything without a word: the call ends by its deadline, and calls work again by themselves', async () => {
    const { ended } = await underWay('swallowed', 1000);
    proxy.swallow(forgePort());
    expect((await ended).error?.code).toBe('call_timeout');
    // Only silence tells that such a socket is dead; until then a call ends by its deadline like the first.
    const codes = new Set<string | undefined>();
    let tries = 0;
    await expect
      .poll(
        async () => {
          tries += 1;
          const { ok, error } = await world.call('demo.mark', { id: `try-${tries}` });
          if (!ok) codes.add(error?.code);
          return ok;
        },
        { timeout: 90_000 },
      )
      .toBe(true);
    expect([...codes].filter((code) => code !== 'call_timeout' && code !== 'bridge_offline')).toEqual([]);
    expect(marks('swallowed')).toBe(1);
    for (let count = 1; count < tries; count += 1) expect(marks(`try-${count}`)).toBeLessThanOrEqual(1);
    expect(marks(`try-${tries}`)).toBe(1);
  });
});
