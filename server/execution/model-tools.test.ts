import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { testForge, type TestForge } from '../testing/forge.ts';
import type { ToolUse } from './model-tools.ts';
import type { TaskSpec } from './tasks/task-spec.ts';
import { deferred } from './testing/deferred.ts';
import { fakeLlm, type FakeLlm } from './testing/fake-llm/fake-llm.ts';
import { turn } from './testing/fake-llm/script.ts';
import { readEvents } from './testing/read-events.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void) => void endings.unshift(end);
let llm: FakeLlm;
let forge: TestForge;
const lines: string[] = [];
/** What the shop waits for before it answers `/items/held`. */
let held = deferred();

/** A shop with apples, many of them if somebody asks for all. */
function shop(base: string, count = 0): string {
  const more = Array.from(
    { length: count },
    (_, index) =>
      `  extra_${index}: { protocol: shell, description: 'Number ${index}.', command: [echo, '${index}'] }\n`,
  );
  return `id: shop
name: Shop
version: "1.0.0"
description: A shop that sells fruit, for tests.
settings: { base_url: { type: string, label: Base, required: true }, token: { type: secret, label: Token } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  get_item:
    protocol: http
    description: Get one item.
    parameters: { id: { type: string, required: true, description: The item. } }
    request: { method: GET, url: '{base_url}/items/{args.id}' }
  list_all: { protocol: http, description: List everything., request: { method: GET, url: '{base_url}/all' } }
  buy:
    protocol: http
    description: Buy an item.
    destructive: true
    parameters: { id: { type: string, required: true, description: The item. } }
    request: { method: POST, url: '{base_url}/buy', body: { id: '{args.id}' } }
${more.join('')}`;
}

beforeAll(async () => {
  llm = await fakeLlm([turn.text('Hello.')], { atEnd });
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    lines.push(`${request.method} ${request.url}`);
    if (request.url === '/items/held') await held.promise;
    const all = Array.from({ length: 3000 }, (_, index) => ({
      id: index,
      name: `Fruit number ${index}`,
      taste: 'sweet',
    }));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(request.url === '/all' ? all : { name: 'apple', seen: request.headers.authorization }));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  forge = await testForge(
    { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url, FORGE_MCP_MAX_TOOLS: '10' },
    atEnd,
  );
  await forge.request('POST', '/api/connectors/install-local', { yaml: shop(origin) });
  await forge.request('PUT', '/api/connectors/shop/settings', {
    values: { base_url: origin, token: 'shop-canary' },
  });
});

afterAll(async () => {
  for (const end of endings) await end();
});

const ask = async (more: Record<string, unknown> = {}) =>
  (await forge.request('POST', '/api/v2/dispatch', { message: 'Go on.', agentId: 'buyer', wait: true, ...more })).body;
const lastResult = () => llm.requests.at(-1)!.messages.at(-1)!.text;
/** What stands between the marks of data. */
const marked = (text: string) => /^<(data-\w+) from="[^"]+">\n([\s\S]*)\n<\/\1>$/.exec(text)?.[2] ?? 'not marked';

describe('C-141 E-09 every tool a model asks for is a call', () => {
  it('through the pipeline, with its entry in the log and no secret in the prompt', async () => {
    llm.script([turn.tools({ name: 'shop__get_item', args: { id: '7' } }), turn.text('An apple.')]);
    const { taskId, output } = await ask();
    expect(output).toBe('An apple.');
    expect(JSON.parse(marked(lastResult()))).toEqual({ name: 'apple', seen: 'Bearer [secret]' });
    expect(JSON.stringify(llm.requests.map(({ body }) => body))).not.toContain('shop-canary');
    const { body } = await forge.request('GET', '/api/calls?tool=shop.get_item');
    expect(body.calls[0]).toMatchObject({ caller: 'dispatch buyer', outcome: 'ok', args: { id: '7' } });
    const { events, text } = await readEvents(forge, taskId);
    expect(events.find(({ event }) => event === 'execution.tool_call')!.data.data).toMatchObject({
      name: 'shop__get_item',
      args: { id: '7' },
    });
    expect(events.find(({ event }) => event === 'execution.tool_result')!.data.data).toMatchObject({
      ...{ ok: true, toolId: 'shop.get_item', callId: body.calls[0].id },
    });
    expect(text).not.toContain('shop-canary');
  });

  it('and failures are something the model can read', async () => {
    llm.script([
      turn.tools(
        { name: 'shop__get_item', args: {}, id: 'a' },
        { name: 'forge_read_result', args: { handle: 'x' }, id: 'b' },
      ),
      turn.text('Sorry.'),
    ]);
    await ask();
    const [call, builtin] = llm.requests.at(-1)!.messages.slice(-2);
    expect(marked(call!.text)).toMatch(/^invalid_argument: /);
    expect(builtin!.text).toMatch(/^result_not_found: /);
  });

  it('and whoever watches is led to the tab where a person has to log in', async () => {
    llm.script([turn.tools({ name: 'shop__get_item', args: { id: '7' } }), turn.text('Log in first.')]);
    const loginTab = { browser_id: 'br_1', tab_id: 7 };
    const error = new ForgeError('login_required', 'log in to the shop', { details: { ...loginTab, url: 'x' } });
    const { stream, done } = await forge.services.execution.orchestrator.submit({
      ...{
        agentId: 'chat',
        message: 'Go on.',
        tools: 'all',
        timeoutSeconds: 60,
        caller: { kind: 'chat', name: 'chat' },
      },
      toolUse: { call: () => Promise.resolve({ kind: 'failed', callId: 'call_1', durationMs: 1, error }) },
    });
    await done;
    const told = stream?.since(0).find(({ event }) => event.type === 'execution.tool_result');
    expect(told?.event.data).toMatchObject({ ok: false, code: 'login_required', loginTab });
    expect(lastResult()).not.toContain('br_1');
  });

  it('and large results come as their beginning, with a handle to read on', async () => {
    llm.script((request) => {
      const said = request.messages.at(-1)!.text;
      const handle = /handle (res_\w+)/.exec(said)?.[1];
      if (request.messages.length === 1) return turn.tools({ name: 'shop__list_all' });
      if (handle !== undefined)
        return turn.tools({ name: 'forge_read_result', args: { handle, search: 'number 2999' } });
      return turn.text('Found.');
    });
    await ask();
    expect(lastResult()).toContain('Fruit number 2999');
    expect(lastResult().length).toBeLessThan(1000);
  });
});

describe('C-37 a call that changes something', () => {
  const buy = { name: 'shop__buy', args: { id: '7' } };

  it('waits for a person, and the model is told so', async () => {
    llm.script([turn.tools(buy), turn.text('It waits.')]);
    const before = lines.length;
    const { taskId } = await ask();
    expect(lastResult()).toMatch(/^approval_required: .*Nothing has been done yet\./s);
    expect(lines.slice(before)).toEqual([]);
    const { events } = await readEvents(forge, taskId);
    const { approvalId } = events.find(({ event }) => event === 'execution.tool_approval')!.data.data;
    expect((await forge.request('GET', '/api/approvals')).body.approvals).toMatchObject([
      { id: approvalId, tool_id: 'shop.buy' },
    ]);
    await forge.request('POST', `/api/approvals/${approvalId}`, { decision: 'deny' });
  });

  it.each([
    ['approve', 'POST /buy', /^{"name":"apple"/],
    ['deny', undefined, /^approval_denied/],
  ] as const)('goes on at once when somebody is there to %s', async (decision, line, answer) => {
    llm.script([turn.tools({ ...buy, args: { id: decision } }), turn.text('Done.')]);
    const before = lines.length;
    const spec: TaskSpec = {
      ...{ agentId: 'chat', message: 'Buy.', tools: 'all', timeoutSeconds: 60, caller: { kind: 'chat', name: 'chat' } },
      toolUse: {
        awaitApproval: ({ approvalId }) => {
          forge.services.calls.approvals.decide(approvalId, { decision });
          return Promise.resolve('decided');
        },
        present: ({ text, toolId }) => (text.startsWith('{') ? text : `${text} [from ${toolId}]`),
      },
    };
    const { done } = await forge.services.execution.orchestrator.submit(spec);
    expect(await done).toMatchObject({ status: 'ok', output: 'Done.' });
    expect(lines[before]).toBe(line);
    expect(lastResult()).toMatch(answer);
  });
});

describe('C-141 what a model is shown', () => {
  it('is each tool by name while there are few, and those that were asked for', async () => {
    llm.script([turn.text('Ok.')]);
    await ask();
    const all = llm.requests.at(-1)!.tools.map(({ name }) => name);
    expect(all).toEqual(['shop__get_item', 'shop__list_all', 'shop__buy', 'forge_read_result']);
    await ask({ tools: ['shop.get_item'] });
    expect(llm.requests.at(-1)!.tools.map(({ name }) => name)).toEqual(['shop__get_item', 'forge_read_result']);
    await ask({ tools: [] });
    expect(llm.requests.at(-1)!.tools).toEqual([]);
  });

  it('and what it was not shown it cannot call', async () => {
    llm.script([
      turn.tools({ name: 'forge_read_result', args: { handle: 'x' } }, { name: 'shop__get_item', args: { id: '1' } }),
      turn.text('Ok.'),
    ]);
    const before = lines.length;
    await ask({ tools: ['shop.list_all'] });
    expect(lines.slice(before)).toEqual([]);
  });

  it('is a catalogue to search when there are many', async () => {
    const manifest = (await forge.request('GET', '/api/connectors/shop/manifest')).body.yaml as string;
    await forge.request('POST', '/api/connectors/install-local', { yaml: shop('', 20).replace('1.0.0', '1.0.1') });
    llm.script([
      turn.tools(
        { name: 'forge_search_tools', args: { query: 'get item' }, id: 's' },
        { name: 'forge_describe_tool', args: { tools: ['shop__get_item'] }, id: 'd' },
      ),
      turn.tools({ name: 'forge_call_tool', args: { tool: 'shop__get_item', arguments: { id: '9' } } }),
      turn.text('Found.'),
    ]);
    await ask();
    const [first, , last] = llm.requests.slice(-3);
    expect(first!.tools.map(({ name }) => name)).toEqual([
      ...['forge_search_tools', 'forge_describe_tool', 'forge_call_tool', 'forge_read_result'],
    ]);
    expect(first!.system).toContain('- shop (23)');
    const results = last!.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
    expect(results[0]).toContain('shop__get_item(id*): Get one item.');
    expect(JSON.parse(results[1]!)).toMatchObject({ name: 'shop__get_item', inputSchema: { required: ['id'] } });
    expect(JSON.parse(marked(results[2]!))).toMatchObject({ name: 'apple' });
    expect(lines.at(-1)).toBe('GET /items/9');
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest });
  });
});

describe('C-141 a tool that a model calls', () => {
  const told: Parameters<ToolUse['tell']>[0][] = [];
  const toldOf = (id: string) => told.filter(({ data }) => data.id === id).map(({ type }) => type);
  const callWith = (signal: AbortSignal, use: Partial<ToolUse> = {}) =>
    forge.services.execution.tools.executor({
      ...{ caller: { kind: 'api', name: 'dispatch buyer' }, choice: 'all', signal },
      tell: (event) => void told.push(event),
      ...use,
    });

  it('is told of while it runs, and before its result', async () => {
    held = deferred();
    const hear: ToolUse['tell'] = (event) => {
      told.push(event);
      // The shop answers nobody before that.
      if (event.type === 'execution.tool_call') held.resolve();
    };
    const call = callWith(new AbortController().signal, { tell: hear });
    expect(await call({ id: 'slow', name: 'shop__get_item', args: { id: 'held' } })).toMatchObject({ ok: true });
    expect(toldOf('slow')).toEqual(['execution.tool_call', 'execution.tool_result']);
  });

  it('is told of when it is stopped in the moment it starts', async () => {
    held = deferred();
    const controller = new AbortController();
    const answer = callWith(controller.signal)({ id: 'stopped', name: 'shop__get_item', args: { id: 'held' } });
    controller.abort(new ForgeError('cancelled', 'the task was cancelled'));
    expect(toldOf('stopped')).toEqual(['execution.tool_call']);
    expect(await answer).toMatchObject({ ok: false });
    expect(toldOf('stopped')).toEqual(['execution.tool_call', 'execution.tool_result']);
    held.resolve();
  });

  it('ends its own task, and nothing else, when it cannot be told of', async () => {
    held = deferred();
    const tell: ToolUse['tell'] = () => {
      held.resolve();
      throw new Error('the disk is full');
    };
    const call = callWith(new AbortController().signal, { tell });
    const answer = call({ id: 'untold', name: 'shop__get_item', args: { id: 'held' } });
    await expect(answer).rejects.toThrow('the disk is full');
  });

  it('may have come since the model was told of its tools, and one that has gone is missed', async () => {
    const { signal } = new AbortController();
    forge.services.execution.tools.offer('all', { kind: 'api', name: 'dispatch buyer' });
    const late = `id: late\nname: Late\nversion: "1.0.0"\ntools: { hello: { protocol: shell, description: Greets., command: [echo, hello] } }\n`;
    await forge.request('POST', '/api/connectors/install-local', { yaml: late });
    const call = callWith(signal);
    expect(await call({ id: 'late', name: 'late__hello', args: {} })).toMatchObject({ ok: true });
    await forge.request('DELETE', '/api/connectors/late?settings=delete');
    const gone = await call({ id: 'gone', name: 'late__hello', args: {} });
    expect(gone).toMatchObject({ ok: false, text: expect.stringContaining('tool_not_found') as string });
  });

  it('is none that the task was not given, whatever else there is', async () => {
    const { signal } = new AbortController();
    const before = lines.length;
    const one = callWith(signal, { choice: ['shop.list_all'] });
    expect(await one({ id: 'other', name: 'shop__get_item', args: { id: '1' } })).toMatchObject({ ok: false });
    const none = callWith(signal, { choice: 'none' });
    expect(await none({ id: 'none', name: 'shop__get_item', args: { id: '1' } })).toMatchObject({ ok: false });
    expect(lines.slice(before)).toEqual([]);
  });
});
