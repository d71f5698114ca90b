// The floor: a Koa route that makes the same request, with nothing around it.
import { open } from 'node:fs/promises';
import Koa from 'koa';
import { Agent, request } from 'undici';

/** What Forge's own API takes, or a message of JSON-RPC. */
interface Body {
  args?: { id: string };
  params?: { arguments: { id: string } };
}

const { BENCH_PORT = '0', BENCH_UPSTREAM = '' } = process.env;
const dispatcher = new Agent({ connections: 128 });
// Beside the bundle, in a folder that goes with the bench.
const record = await open(new URL('./recorded', import.meta.url), 'a');
const app = new Koa();
app.use(async (ctx) => {
  if (ctx.path === '/health') {
    ctx.body = { ok: true };
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
  const { args, params } = JSON.parse(Buffer.concat(chunks).toString()) as Body;
  const id = params?.arguments.id ?? args?.id ?? '';
  // What has to be on record before it happens costs a write to the disk, whoever does it.
  if (ctx.path === '/recorded') {
    await record.write(`${id}\n`);
    await record.datasync();
  }
  const response = await request(`${BENCH_UPSTREAM}/items/${encodeURIComponent(id)}`, { dispatcher });
  ctx.body = { ok: true, result: await response.body.json() };
});
app.listen(Number(BENCH_PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
