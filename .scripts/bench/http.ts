import { compare, fire, report } from './load.ts';
import { startBundle } from './processes.ts';
import { calling, isOk, posting, type World } from './world.ts';

const ARGS = { id: '7' };

/** An http tool against a bare Koa route that makes the same request; a second bare one shows the machine's noise. */
export async function benchHttp({ folder, upstream, bare, forge }: World): Promise<void> {
  const again = await startBundle(folder, 'bare-koa', '/health', upstream.url);
  const posted = { path: '/call', body: JSON.stringify({ args: ARGS }), isRight: isOk };
  const targets = [
    posting('bare koa', bare, posted),
    posting('bare koa, again', again, posted),
    calling(forge, 'bench.item', ARGS),
  ];
  // Many first: by then V8 has compiled all of it, on every side.
  report('(a) http call, 32 in flight', await compare(targets, 1600, 32));
  report('(a) http call, one at a time', await compare(targets, 200, 1));
  const writes = [
    posting('bare koa', bare, posted),
    posting('bare koa, recorded', bare, { ...posted, path: '/recorded' }),
    calling(forge, 'bench.save', ARGS),
  ];
  report('(a) http call that changes something, 32 in flight', await compare(writes, 400, 32));
  report('(a) http call that changes something, one at a time', await compare(writes, 100, 1));
  for (const target of [...targets, ...writes]) await target.close();
  await again.stop();
}

/** How often a token is exchanged when a thousand calls come at once and the known one has expired. */
export async function benchExchange({ upstream, forge }: World): Promise<void> {
  const target = calling(forge, 'bench.exchanged', ARGS);
  const logins = async () => ((await (await fetch(`${upstream.url}/logins`)).json()) as { logins: number }).logins;
  await target.run();
  const before = await logins();
  await fire(target.run, 1000, 1000);
  console.log(`\n(e) exchanges under 1,000 concurrent calls on an expired token: ${(await logins()) - before}`);
  await target.close();
}
