// The floor for chat: a Koa route that passes a model's stream on, and makes the request a tool call asks for, with nothing around it.
import Koa from 'koa';
import { PassThrough } from 'node:stream';
import { Agent, request } from 'undici';

const { BENCH_PORT = '0', BENCH_LLM = '', BENCH_API = '' } = process.env;
const dispatcher = new Agent({ connections: 128 });
const app = new Koa();

interface Chunk {
  choices: { delta: { tool_calls?: { function: { arguments: string } }[] } }[];
}

/** Starts the tool a frame asks for. */
function startTool(line: string): void {
  const call = (JSON.parse(line) as Chunk).choices[0]?.delta.tool_calls?.[0];
  if (call === undefined) return;
  const { id } = JSON.parse(call.function.arguments) as { id: string };
  void request(`${BENCH_API}/items/${encodeURIComponent(id)}`, { dispatcher }).then(({ body }) => body.json());
}

app.use(async (ctx) => {
  if (ctx.path === '/health') {
    ctx.body = { ok: true };
    return;
  }
  const asked = {
    stream: true,
    model: 'bench',
    messages: [{ role: 'user', content: ctx.query['message'] }],
  };
  const { body } = await request(`${BENCH_LLM}/v1/chat/completions`, {
    ...{ dispatcher, method: 'POST' as const, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(asked),
  });
  const stream = new PassThrough();
  let rest = '';
  body.on('data', (chunk: Buffer) => {
    stream.write(chunk);
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) startTool(line.slice(6));
  });
  body.once('end', () => stream.end());
  ctx.set('Content-Type', 'text/event-stream');
  ctx.body = stream;
});
app.listen(Number(BENCH_PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
