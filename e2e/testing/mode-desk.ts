import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { fakeLlm, type FakeLlm } from '../../server/execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../../server/execution/testing/fake-llm/script.ts';
import { connectClient, textOf } from '../../server/mcp/testing/client.ts';
import { runForge, startForgeProcess, tempFolder, type ForgeProcess } from './forge-process.ts';

/** Tools that read, change, and start others; `version` and `edit` make another version of it. */
export const desk = (version = '1.0.0', edit: (yaml: string) => string = (yaml) => yaml): string =>
  edit(`id: desk
name: Desk
version: "${version}"
description: Tools that read, tools that change, and tools that start others.
settings:
  instances: { type: instances, fields: { name: { required: true }, base_url: { required: true } } }
tools:
  get: { protocol: http, description: Get., request: { url: '{base_url}/get' } }
  post: { protocol: http, description: Post., parameters: { text: {} }, request: { method: POST, url: '{base_url}/post' } }
  wipe: { protocol: http, description: Wipe., destructive: true, request: { method: DELETE, url: '{base_url}/wipe' } }
  look: { protocol: shell, description: Look., read_only: true, command: [echo, seen] }
  end: { protocol: http, description: End., request: { method: POST, url: '{base_url}/end' } }
  start:
    protocol: http
    description: A GET that changes something when it is done.
    request: { url: '{base_url}/start' }
    async: { poll: get, interval_sec: 30, done_path: done, on_done: { mode: tool, tool: end } }
`);

export const SUITE = `id: suite
name: Suite
version: "1.0.0"
description: A bundle whose parts have tools of one name.
connectors:
  - { id: mail, name: Mail, tools: { send: { protocol: shell, description: Send., command: [echo, mailed] } } }
  - { id: post-office, name: Post, tools: { send: { protocol: shell, description: Send., command: [echo, posted] } } }
`;

export interface Desk {
  dataDir: string;
  llm: FakeLlm;
  forge: ForgeProcess;
  /** Requests that arrived at the service, as `POST /post`; emptied by whoever looks. */
  seen: string[];
  env: Record<string, string>;
  json(method: string, place: string, body?: unknown): Promise<{ status: number; body: any }>; // oxlint-disable-line typescript/no-explicit-any
  setMode(tool: string, mode: string): Promise<{ status: number; body: any }>; // oxlint-disable-line typescript/no-explicit-any
}

/**
 * A desk for a whole file, handed to `give` before the first test. Before each test its tools have the modes of the beginning again, and the
 * service has seen nothing. Answers with a function that takes what is to be ended with it.
 */
export function useDesk(give: (world: Desk) => void): (end: () => unknown) => void {
  const ends: (() => unknown)[] = [];
  const atEnd = (end: () => unknown): void => void ends.unshift(end);
  let world: Desk;
  beforeAll(async () => give((world = await openDesk(atEnd))), 120_000);
  beforeEach(async () => {
    const modes = Object.fromEntries(['get', 'post', 'look', 'end', 'start'].map((name) => [`desk.${name}`, 'on']));
    await world.json('PATCH', '/api/connectors/desk/modes', { modes: { ...modes, 'desk.wipe': 'ask' } });
    world.seen.length = 0;
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return atEnd;
}

/** A built Forge with both connectors, a service that they talk to, and a model. */
async function openDesk(atEnd: (end: () => unknown) => void): Promise<Desk> {
  const seen: string[] = [];
  const service = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"done":true}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    service.close();
    service.closeAllConnections();
  });
  const llm = await fakeLlm([turn.text('Hello.')], { atEnd });
  const dataDir = path.join(tempFolder(atEnd), 'data');
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url, FORGE_HOLD_SECONDS: '0' };
  const opened: Desk = {
    ...{ dataDir, llm, seen, env },
    forge: await startForgeProcess(dataDir, env, atEnd),
    json: async (method, place, body) => {
      const answer = await opened.forge.call(method, place, body);
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
    },
    setMode: (tool, mode) =>
      opened.json('PATCH', `/api/connectors/${tool.startsWith('desk.') ? 'desk' : 'suite'}/modes`, {
        modes: { [tool]: mode },
      }),
  };
  for (const yaml of [desk(), SUITE])
    expect((await opened.json('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
  const base_url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const instances = [
    { name: 'one', base_url },
    { name: 'two', base_url },
  ];
  expect((await opened.json('PUT', '/api/connectors/desk/settings', { values: { instances } })).status).toBe(200);
  return opened;
}

type Call = (desk: Desk, tool: string) => Promise<string>;

/** Models that are offered the tool by name; a runtime refuses one that was not offered by itself. */
export const MODELS: Record<string, Call> = {
  'a model in chat': (desk, tool) => chatCall(desk, { name: tool.replace('.', '__'), args: {} }),
  'a dispatched task': (desk, tool) => dispatchCall(desk, { name: tool.replace('.', '__'), args: {} }),
  'a dispatched task that asked for that very tool': (desk, tool) =>
    dispatchCall(desk, { name: tool.replace('.', '__'), args: {} }, [tool]),
};

/** Models that have to search for tools, as there are too many to offer. */
export const SEARCHING_MODELS: Record<string, Call> = {
  'a model in chat through forge_call_tool': (desk, tool) =>
    chatCall(desk, { name: 'forge_call_tool', args: { tool, arguments: {} } }),
  'a dispatched task through forge_call_tool': (desk, tool) =>
    dispatchCall(desk, { name: 'forge_call_tool', args: { tool: tool.replace('.', '__'), arguments: {} } }),
};

/** More tools than are offered one by one. */
export const CROWD = `id: crowd
name: Crowd
version: "1.0.0"
description: So many tools that they have to be searched for.
tools:
${Array.from({ length: 60 }, (_, index) => `  t${index}: { protocol: http, description: Get., request: { url: "https://a.test" } }`).join('\n')}
`;

/** Every other way to a tool, each answering with all that its caller is told. */
export const CALLERS: Record<string, Call> = {
  'a program': (desk, tool) => apiCall(desk, tool, {}),
  'a program that uses the model’s name': (desk, tool) => apiCall(desk, tool.replace('.', '__'), {}),
  'a program that names an instance': (desk, tool) =>
    apiCall(desk, tool, { args: tool.startsWith('desk.') ? { instance: 'two' } : {} }),
  'a program that says it is the CLI': (desk, tool) => apiCall(desk, tool, {}, { 'X-Forge-Client': 'forge-cli' }),
  'a program that calls itself a watch': (desk, tool) => apiCall(desk, tool, { caller: 'watch wch_0' }),
  'a stream': (desk, tool) => apiCall(desk, tool, {}, { Accept: 'text/event-stream' }),
  'the page’s Try it': (desk, tool) => apiCall(desk, tool, { caller: 'settings' }, { Origin: desk.forge.url }),
  'an older client': async (desk, tool) => {
    const [plugin_id = '', name = ''] = tool.split('.');
    return text(await desk.forge.call('POST', '/api/connector-tool', { plugin_id, tool: name, input: {} }));
  },
  'an MCP client': (desk, tool) => mcpCall(desk, tool.replace('.', '__'), {}),
  'an MCP client that uses the id': (desk, tool) => mcpCall(desk, tool, {}),
  'an MCP client through forge_call_tool': (desk, tool) => mcpCall(desk, 'forge_call_tool', { tool, arguments: {} }),
  'the command line': async ({ dataDir }, tool) => {
    const { stdout, stderr } = await runForge(dataDir, ['call', tool]);
    return stdout + stderr;
  },
};

const text = (answer: Response): Promise<string> => answer.text();

async function apiCall({ forge }: Desk, tool: string, body: object, headers: object = {}): Promise<string> {
  const answer = await fetch(`${forge.url}/api/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return answer.text();
}

async function mcpCall({ forge }: Desk, name: string, args: Record<string, unknown>): Promise<string> {
  const client = await connectClient(forge);
  return textOf(await client.callTool({ name, arguments: args }));
}

interface ToolCall {
  name: string;
  args: unknown;
}

/** What the model was told about the tool it called. */
function toldToModel({ llm }: Desk): string {
  return llm.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool').map((one) => one.text)).join('\n'); // prettier-ignore
}

async function chatCall(desk: Desk, call: ToolCall): Promise<string> {
  desk.llm.requests.length = 0;
  desk.llm.script([turn.tools(call), turn.text('I tried.')]);
  const { body: session } = await desk.json('POST', '/api/chat/sessions', {});
  const place = `/api/chat/sessions/${String(session.id)}/messages`;
  await desk.json('POST', place, { text: 'Do it.' });
  // Either the model is told what came of it, or a person is asked.
  const outcome = async (): Promise<string> => {
    const { body } = await desk.json('GET', `/api/approvals?session=${String(session.id)}`);
    return body.approvals.length > 0 ? `approval_required ${JSON.stringify(body.approvals)}` : toldToModel(desk);
  };
  await expect.poll(outcome).not.toBe('');
  const told = await outcome();
  await desk.json('DELETE', `/api/chat/sessions/${String(session.id)}`);
  return told;
}

async function dispatchCall(desk: Desk, call: ToolCall, tools?: string[]): Promise<string> {
  desk.llm.requests.length = 0;
  desk.llm.script([turn.tools(call), turn.text('I tried.')]);
  const { body } = await desk.json('POST', '/api/v2/dispatch', { message: 'Do it.', wait: true, tools });
  return `${toldToModel(desk)}\n${JSON.stringify(body)}`;
}
