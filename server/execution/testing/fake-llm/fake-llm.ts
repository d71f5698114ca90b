// A server on this computer that speaks the streaming protocols of Anthropic (/v1/messages), OpenAI (/v1/chat/completions,
// /v1/responses) and Google (/v1beta/models/<model>:streamGenerateContent), tool calls and failures included. A test writes the script; the requests that came are kept in `requests`.
//
//   const llm = await fakeLlm([turn.tools({ name: 'demo__get_item', args: { id: '1' } }), turn.text('It is an apple.')]);
//   const forge = await testForge({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
//   …
//   expect(llm.requests[1].messages.at(-1)).toMatchObject({ role: 'tool', text: '…' });
//
// A list of turns is used in order, the last one again and again; a function sees each request and decides. `llm.script(…)` replaces
// the script. `beforeDelta` of a turn holds the stream until its promise resolves: cancel, restart or look meanwhile, without a clock.
// For OpenAI: OPENAI_API_KEY and OPENAI_BASE_URL (chat completions); for Google: GOOGLE_GENERATIVE_AI_API_KEY and …_BASE_URL; for a local model: OPENAI_COMPATIBLE_BASE_URL and …_MODEL.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { ANTHROPIC } from './anthropic.ts';
import { GOOGLE, googleModels } from './google.ts';
import { OPENAI_CHAT } from './openai-chat.ts';
import { OPENAI_RESPONSES } from './openai-responses.ts';
import type { Protocol } from './protocol.ts';
import type { LlmRefusal, LlmRequest, LlmScript, LlmTurn } from './script.ts';

const PROTOCOLS = [ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES, GOOGLE];

export interface FakeLlm {
  /** Without the version: `http://127.0.0.1:<port>` */
  url: string;
  /** With it, as AI SDK and OpenAI's own clients want it. */
  baseUrl: string;
  requests: LlmRequest[];
  /** How many answers were given up by the client before they had ended. */
  abandoned: () => number;
  script(next: LlmScript): void;
  close(): Promise<void>;
}

interface Options {
  /** The names that GET /v1/models lists. */
  models?: readonly string[];
  /** What that list says of prices, by model, as OpenRouter's does. */
  pricing?: Readonly<Record<string, Record<string, string>>>;
  /** What it answers instead of the list. */
  refuseList?: LlmRefusal;
  atEnd?: (finish: () => Promise<void> | void) => void;
}

export async function fakeLlm(script: LlmScript = [{ text: 'Hello.' }], options: Options = {}): Promise<FakeLlm> {
  const { models = ['fake-large', 'fake-small'], pricing = {}, refuseList, atEnd = onTestFinished } = options;
  const requests: LlmRequest[] = [];
  let [current, used, abandoned] = [script, 0, 0];

  const nextTurn = async (request: LlmRequest): Promise<LlmTurn> => {
    const index = used++;
    if (typeof current === 'function') return current(request, index);
    return current[Math.min(index, current.length - 1)] ?? {};
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [place = ''] = (request.url ?? '').split('?');
    const path = place.replace(/^\/v1(beta)?/, '');
    if (request.method === 'GET' && path === '/models') {
      const isGoogle = place.startsWith('/v1beta/');
      if (refuseList !== undefined) refuse(response, isGoogle ? GOOGLE : OPENAI_CHAT, refuseList);
      else sendJson(response, 200, isGoogle ? googleModels(models) : modelList(models, pricing));
      return;
    }
    const protocol = PROTOCOLS.find((known) => known.path.test(path));
    if (protocol === undefined) {
      sendJson(response, 404, { error: { message: `no ${path}`, type: 'not_found' } });
      return;
    }
    const body = (await readJson(request)) as Record<string, unknown>;
    const seen: LlmRequest = {
      ...protocol.read(body, protocol.path.exec(path)?.[1] ?? ''),
      headers: request.headers,
      body,
    };
    requests.push(seen);
    const turn = await nextTurn(seen);
    if (turn.refuse !== undefined) {
      refuse(response, protocol, turn.refuse);
      return;
    }
    response.once('close', () => {
      if (!response.writableFinished && turn.cutMidStream !== true) abandoned += 1;
    });
    await stream(response, protocol, turn, seen);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The script itself has failed; the client sees a server that has.
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error), type: 'api_error' } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atEnd(close);
  return {
    ...{ url, baseUrl: `${url}/v1`, requests, close },
    abandoned: () => abandoned,
    script: (next) => ([current, used] = [next, 0]),
  };
}

async function stream(response: ServerResponse, protocol: Protocol, turn: LlmTurn, request: LlmRequest): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' });
  for await (const { event, data } of protocol.stream(turn, request)) {
    if (response.destroyed) return;
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
  }
  if (turn.cutMidStream === true) {
    // What was written must have left before the connection is cut.
    await new Promise((resolve) => setImmediate(resolve));
    response.destroy();
  } else response.end();
}

function refuse(response: ServerResponse, protocol: Protocol, refusal: LlmRefusal): void {
  sendJson(response, refusal.status, protocol.error(refusal), refusal.headers);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function modelList(models: readonly string[], pricing: NonNullable<Options['pricing']>): unknown {
  const data = models.map((id) => ({
    ...{ id, object: 'model', type: 'model', display_name: id, created: 1_700_000_000 },
    ...(pricing[id] === undefined ? {} : { pricing: pricing[id] }),
  }));
  return { object: 'list', data, has_more: false };
}
