// What Forge adds in a conversation: from the last byte of a model's tool call to the arrival of the tool's request, and from each
// streamed token to the page's own stream. Model, API and page are this process, so that one clock measures both ends.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { freePort, start, type Running } from './processes.ts';
import { ms, ratio, seriesOf, shuffled, times } from './stats.ts';

interface ForgeServer extends Running {
  token: string;
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? '12');
const TOOLS_PER_ROUND = 15;
const TOKENS_PER_ROUND = 120;
/** Models are not faster than that; without it tokens would travel together. */
const BETWEEN_TOKENS_MS = 2;
const AFTER_HEAD_MS = 3;

const CONNECTOR = `id: benchchat
name: Bench chat
version: "1.0.0"
settings: { base_url: { required: true } }
tools:
  item: { protocol: http, description: Get an item., parameters: { id: { required: true } }, request: { url: '{base_url}/items/{args.id}' } }
`;

/** What happened when, as this process has seen it. */
class Marks {
  readonly #at = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();

  /** The first time counts: the end of an answer says all of it once more. */
  set(name: string): void {
    if (this.#at.has(name)) return;
    this.#at.set(name, performance.now());
    this.#waiting.get(name)?.();
  }

  at(name: string): number {
    return this.#at.get(name) ?? Number.NaN;
  }

  async seen(name: string): Promise<void> {
    if (!this.#at.has(name)) await new Promise<void>((resolve) => this.#waiting.set(name, resolve));
  }

  clear(): void {
    this.#at.clear();
    this.#waiting.clear();
  }
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** A model that asks for a tool when it is told `tool`, and counts when it is told `count`. */
async function startModel(marks: Marks): Promise<{ server: Server; url: string }> {
  return listen((incoming, response) => void answer(incoming, response));

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(incoming);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
    const last = messages.at(-1);
    const told = last?.role === 'user' ? JSON.stringify(last.content) : '';
    response.write(chunk({ role: 'assistant', content: '' }));
    // What comes before has left when this does, and has been read: no model says anything in the moment its answer begins.
    if (told !== '') await marks.seen('page');
    await pause(AFTER_HEAD_MS);
    if (told.includes('tool')) {
      const call = { name: 'benchchat__item', arguments: '{"id":"7"}' };
      const asking = chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] });
      marks.set('asked');
      // The call and its end in one piece: there is nothing a runtime could still be waiting for.
      response.end(`${asking}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
      return;
    }
    if (told.includes('count')) await count(response);
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  }

  async function count(response: ServerResponse): Promise<void> {
    for (let index = 0; index < TOKENS_PER_ROUND; index += 1) {
      await pause(BETWEEN_TOKENS_MS);
      marks.set(`sent ${index}`);
      response.write(chunk({ content: `tok${index} ` }));
    }
  }
}

/** Reads a stream to its end as a page does, and notes when each token was there. */
async function readStream(url: string, headers: Record<string, string>, marks: Marks): Promise<void> {
  const { body, statusCode } = await request(url, { headers });
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${await body.text()}`);
  marks.set('page');
  body.setEncoding('utf8');
  for await (const part of body)
    for (const [, index] of String(part).matchAll(/tok(\d+) /g)) marks.set(`seen ${index}`);
}

type Say = (message: string) => Promise<void>;

function sayToForge(forge: ForgeServer, marks: Marks): Say {
  const headers = { 'x-forge-token': forge.token, 'content-type': 'application/json' };
  const post = async (place: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await request(forge.url + place, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.body.json()) as Record<string, unknown>;
  };
  return async (message) => {
    const { id } = await post('/api/chat/sessions', {});
    const { task_id: task } = await post(`/api/chat/sessions/${String(id)}/messages`, { text: message });
    await readStream(`${forge.url}/api/v2/tasks/${String(task)}/events`, headers, marks);
  };
}

function sayToBare(bare: Running, marks: Marks): Say {
  return (message) => readStream(`${bare.url}/chat?message=${message}`, {}, marks);
}

async function setUp(forge: ForgeServer, llm: string, api: string): Promise<void> {
  const headers = { 'x-forge-token': forge.token, 'content-type': 'application/json' };
  const send = async (method: 'POST' | 'PUT', place: string, body: object): Promise<void> => {
    const answer = await request(forge.url + place, { method, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${place} answered ${answer.statusCode}: ${text}`);
  };
  await send('POST', '/api/connectors/install-local', { yaml: CONNECTOR });
  await send('PUT', '/api/connectors/benchchat/settings', { values: { base_url: api } });
  const providers = { 'openai-compatible': { base_url: llm, model: 'bench' } };
  await send('PUT', '/api/models', { default_model: 'openai-compatible/bench', providers });
}

/** `bareFile` is the bundle of bare-chat.ts. */
export async function benchChat(forge: ForgeServer, bareFile: string): Promise<void> {
  const marks = new Marks();
  const api = await listen((_incoming, response) => {
    marks.set('arrived');
    response.setHeader('content-type', 'application/json');
    response.end('{"id":7,"title":"Item number 7"}');
  });
  const model = await startModel(marks);
  await setUp(forge, model.url, api.url);
  const port = await freePort();
  const env = { BENCH_PORT: String(port), BENCH_LLM: model.url, BENCH_API: api.url };
  const bare = await start(bareFile, [], port, '/health', env);
  const sides: Record<string, Say> = { 'bare koa': sayToBare(bare, marks), forge: sayToForge(forge, marks) };
  const tool = async (say: Say): Promise<number[]> => {
    marks.clear();
    await say('tool');
    await marks.seen('arrived');
    return [marks.at('arrived') - marks.at('asked')];
  };
  const tokens = async (say: Say): Promise<number[]> => {
    marks.clear();
    await say('count');
    return Array.from(
      { length: TOKENS_PER_ROUND },
      (_, index) => marks.at(`seen ${index}`) - marks.at(`sent ${index}`),
    );
  };
  await compare('(f) chat: a model’s tool call to the tool’s start', sides, tool, TOOLS_PER_ROUND);
  await compare('(g) chat: a model’s token to the page', sides, tokens, 1);
  await bare.stop();
  for (const { server } of [api, model]) {
    server.closeAllConnections();
    server.close();
  }
}

async function compare(
  title: string,
  sides: Record<string, Say>,
  measure: (say: Say) => Promise<number[]>,
  perRound: number,
): Promise<void> {
  const values = new Map(Object.keys(sides).map((name) => [name, [] as number[]]));
  for (const say of Object.values(sides)) for (let warm = 0; warm < perRound * 2; warm += 1) await measure(say);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, say] of shuffled(Object.entries(sides)))
      for (let run = 0; run < perRound; run += 1) values.get(name)?.push(...(await measure(say)));
  const [floor, ours] = [seriesOf(values.get('bare koa') ?? []), seriesOf(values.get('forge') ?? [])];
  const { median, p95 } = ratio(ours, floor);
  console.log(`\n${title}`);
  console.log(`  bare koa               median ${ms(floor.median)}  p95 ${ms(floor.p95)}`);
  console.log(
    `  forge                  median ${ms(ours.median)} (${times(median)})  p95 ${ms(ours.p95)} (${times(p95)}), adds ${ms(ours.median - floor.median)}`,
  );
}
