import { StreamableHTTPClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import type { TestForge } from '../testing/forge.ts';
import { watchWorld } from '../watches/testing/watch-world.ts';
import { addClient, connectClient, textOf } from './testing/client.ts';

const VERSION = '2026-07-28';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, interval_sec: 30, done_path: done, fail_path: broken, on_done: { message: 'Build {poll.build}.' }, on_fail: { message: 'It broke.' } }`;
const CHAIN = BLOCK.replace(
  `{ message: 'Build {poll.build}.' }`,
  `{ mode: tool, tool: act, args: { note: 'build {poll.build}' } }`,
);

interface AskOptions {
  token?: string;
  name?: string;
  capabilities?: object;
}

// Tests look into answers of many shapes; each assertion is the check.
type Body = any; // oxlint-disable-line typescript/no-explicit-any

/** The official transport with one message after the other: the official client knows no tasks yet. */
async function taskClient(
  forge: TestForge,
  { token = forge.token, name = 'worker', capabilities = TASKS }: AskOptions = {},
) {
  const transport = new StreamableHTTPClientTransport(new URL(`${forge.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const waiting = new Map<unknown, (message: Body) => void>();
  transport.onmessage = (message: JSONRPCMessage) => waiting.get('id' in message ? message.id : undefined)?.(message);
  transport.setProtocolVersion(VERSION);
  await transport.start();
  onTestFinished(() => transport.close());
  let id = 0;
  const ask = async (method: string, params: object): Promise<Body> => {
    id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name, version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const answered = new Promise<Body>((resolve) => waiting.set(id, resolve));
    await transport.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return answered;
  };
  const start = async () => (await ask('tools/call', { name: 'jobs__start', arguments: {} })).result;
  return { ask, start, get: async (taskId: string) => (await ask('tasks/get', { taskId })).result };
}

it('C-123 answers a call that leaves a watch with a task, which has the result when the watch has ended', async () => {
  const { forge, service, pass } = await watchWorld(BLOCK);
  const client = await taskClient(forge);
  const created = await client.start();
  expect(created).toMatchObject({
    resultType: 'task',
    taskId: expect.stringMatching(/^wch_[0-9a-f]{16}$/),
    ...{ status: 'working', pollIntervalMs: 30_000, ttlMs: 30 * 24 * 3_600_000 },
    ...{ createdAt: expect.stringMatching(/^\d{4}-/), lastUpdatedAt: expect.stringMatching(/^\d{4}-/) },
  });
  expect(created).not.toHaveProperty('content');
  const { taskId } = created;
  const working = await client.get(taskId);
  expect(working).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
  expect(working).not.toHaveProperty('result');
  service.answer = () => ({ done: true, build: 7 });
  await pass(60);
  expect(await client.get(taskId)).toMatchObject({
    ...{ resultType: 'complete', status: 'completed' },
    result: {
      content: [
        { type: 'text', text: 'Build 7.' },
        { type: 'text', text: expect.stringContaining('"build":7') },
      ],
    },
  });
});

it('tells a failure of what was started as the result of the tool', async () => {
  const { forge, service, pass } = await watchWorld(BLOCK);
  const client = await taskClient(forge);
  const { taskId } = await client.start();
  service.answer = () => ({ broken: true });
  await pass(60);
  expect(await client.get(taskId)).toMatchObject({
    ...{ status: 'completed', result: { isError: true, content: [{ text: 'It broke.' }, {}] } },
  });
});

it('stops the watch of a task that is cancelled, and takes a second cancel as well', async () => {
  const { forge, service, pass, watch } = await watchWorld(BLOCK);
  const client = await taskClient(forge);
  const { taskId } = await client.start();
  for (const _round of [1, 2]) {
    const { result } = await client.ask('tasks/cancel', { taskId });
    expect(Object.keys(result).toSorted()).toEqual(['_meta', 'resultType']);
  }
  await pass(600);
  expect(service.polls.size).toBe(0);
  expect(await client.get(taskId)).toMatchObject({ status: 'cancelled' });
  expect(await watch(taskId)).toMatchObject({
    state: 'cancelled',
    reason: { message: expect.stringContaining('client') },
  });
});

it('puts the question of a chained tool to the client, which answers it with tasks/update', async () => {
  const { forge, service, pass } = await watchWorld(CHAIN);
  const client = await taskClient(forge, { capabilities: { ...TASKS, elicitation: { form: {} } } });
  const { taskId } = await client.start();
  service.answer = () => ({ done: true, build: 7 });
  await pass(60);
  const asked = await client.get(taskId);
  expect(asked).toMatchObject({ status: 'input_required' });
  const [key = ''] = Object.keys(asked.inputRequests);
  expect(asked.inputRequests[key]).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } });
  const answer = (inputResponses: object) => client.ask('tasks/update', { taskId, inputResponses });
  await answer({ apr_0000000000000000: { action: 'accept', content: { approve: true } } });
  expect(await client.get(taskId)).toMatchObject({ status: 'input_required' });
  await answer({ [key]: { action: 'accept', content: { approve: true } } });
  await pass(60);
  expect(await client.get(taskId)).toMatchObject({ status: 'completed' });
  expect(service.actions).toHaveLength(1);
  const silent = await taskClient(forge);
  expect(await silent.get(taskId)).toMatchObject({ status: 'completed' });
});

it('says that the client declined what the tool at the end needed', async () => {
  const { forge, service, pass, watch } = await watchWorld(CHAIN);
  const client = await taskClient(forge, { capabilities: { ...TASKS, elicitation: { form: {} } } });
  const { taskId } = await client.start();
  service.answer = () => ({ done: true, build: 7 });
  await pass(60);
  const [key = ''] = Object.keys((await client.get(taskId)).inputRequests);
  await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'cancel' } } });
  expect(await client.get(taskId)).toMatchObject({ status: 'input_required', inputRequests: { [key]: {} } });
  await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
  await pass(60);
  const { status, result } = await client.get(taskId);
  expect([status, result.isError]).toEqual(['completed', true]);
  expect(result.content[0].text).toContain(`The client declined approval ${key}`);
  expect(await watch(taskId)).toMatchObject({ state: 'failed' });
  expect(service.actions).toEqual([]);
});

it('asks before it starts anything, and answers the yes with a task', async () => {
  const { forge, service, pass } = await watchWorld(
    BLOCK,
    `  drop:
    protocol: http
    destructive: true
    description: Start a job that destroys something.
    request: { method: POST, url: '{base_url}/jobs' }
    async: ${BLOCK}
`,
  );
  const client = await taskClient(forge, { capabilities: { ...TASKS, elicitation: { form: {} } } });
  const drop = async (more: object) =>
    (await client.ask('tools/call', { name: 'jobs__drop', arguments: {}, ...more })).result;
  const asked = await drop({});
  expect(asked).toMatchObject({ resultType: 'input_required' });
  expect(asked).not.toHaveProperty('taskId');
  expect(service.seen).toEqual([]);
  const [key = ''] = Object.keys(asked.inputRequests);
  const created = await drop({ inputResponses: { [key]: { action: 'accept', content: { approve: true } } } });
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  expect(created).not.toHaveProperty('inputRequests');
  service.answer = () => ({ done: true, build: 7 });
  await pass(60);
  expect(await client.get(created.taskId)).toMatchObject({
    status: 'completed',
    result: { content: [{ text: 'Build 7.' }, {}] },
  });
});

it('knows no task of somebody else', async () => {
  const { forge, start, watch } = await watchWorld(BLOCK);
  const { taskId } = await (await taskClient(forge)).start();
  const { watch_id } = await start();
  const limited = await addClient(forge, 'worker', { connectors: ['nothing'] });
  const others = [
    [await taskClient(forge, { name: 'another' }), taskId],
    [await taskClient(forge, { token: limited }), taskId],
    [await taskClient(forge), watch_id],
    [await taskClient(forge), 'wch_0000000000000000'],
    [await taskClient(forge), '__proto__'],
  ] as const;
  for (const [client, id] of others)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(await client.ask(method, { taskId: id, inputResponses: {} })).toMatchObject({ error: { code: -32602 } });
  expect([await watch(taskId), await watch(watch_id)]).toMatchObject([{ state: 'polling' }, { state: 'polling' }]);
});

it('gives no task to a client that has not asked for tasks, and says what it lacks', async () => {
  const { forge } = await watchWorld(BLOCK);
  const client = await connectClient(forge, { era: 'auto' });
  expect(client.getServerCapabilities()).toMatchObject(TASKS);
  expect(textOf(await client.callTool({ name: 'jobs__start', arguments: {} }))).toContain('forge://watches/wch_');
  const { headers, body } = taskRequest();
  const refused = await forge.request('POST', '/mcp', body, headers);
  expect([refused.status, refused.body.error]).toMatchObject([
    400,
    { code: -32021, data: { requiredCapabilities: TASKS } },
  ]);
  const legacy = await connectClient(forge, { era: 'legacy' });
  expect(legacy.getServerCapabilities()).not.toHaveProperty('extensions');
});

function taskRequest() {
  const taskId = 'wch_0000000000000000';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: {
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tasks/get',
      'mcp-name': taskId,
      accept: 'application/json, text/event-stream',
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId, _meta } },
  };
}
