import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../store/sqlite.ts';
import { testForge, type TestForge } from '../testing/forge.ts';
import { fakeLlm, type FakeLlm } from './testing/fake-llm/fake-llm.ts';
import { turn } from './testing/fake-llm/script.ts';
import { readEvents } from './testing/read-events.ts';

const SCRIPTED = path.join(import.meta.dirname, 'testing/fixtures/scripted-adapter.js');

/** Things that end with the file, last first. */
const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void) => void endings.unshift(end);
let forge: TestForge;
let llm: FakeLlm;

beforeAll(async () => {
  llm = await fakeLlm([turn.text('Hello.')], { atEnd });
  forge = await testForge(
    {
      BRIDGE_ADAPTERS: 'vercel-ai,acme-ai,custom',
      CUSTOM_ADAPTER_MODULE: SCRIPTED,
      ANTHROPIC_API_KEY: 'sk-ant-canary-key',
      ANTHROPIC_BASE_URL: llm.url,
    },
    atEnd,
  );
});

afterAll(async () => {
  for (const end of endings) await end();
});

const dispatch = (body: Record<string, unknown>) => forge.request('POST', '/api/v2/dispatch', body);
const scripted = (message: string, more: Record<string, unknown> = {}) =>
  dispatch({ message, gateway: 'scripted', ...more });
const task = async (id: string) => (await forge.request('GET', `/api/v2/tasks/${id}`)).body;

interface Got {
  request: IncomingMessage;
  body: unknown;
}

/** Somebody who waits for callbacks; `next` resolves with the next one. */
async function receiver(): Promise<{ url: string; next: () => Promise<Got> }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      got.push({ request, body });
      response.writeHead(204).end();
      server.emit('got');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  const next = async () => {
    while (got.length === 0) await once(server, 'got');
    return got.shift()!;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/done`, next };
}

describe('E-15 dispatching', () => {
  it('K-51 E-17 answers 202 and posts the result to the callback, once for each of two adapters', async () => {
    const { url, next } = await receiver();
    const asked = { message: 'Hi', metadata: { step: 7 }, callbackUrl: url, callback_token: 'let-me-in' };
    const first = await dispatch({ ...asked, taskId: 'cb-1', gateway: 'vercel-ai', agentId: 'helper' });
    expect(first.status).toBe(202);
    expect(first.body).toEqual({ taskId: 'cb-1', status: 'accepted', provider: 'vercel-ai', warnings: [] });
    const { request, body } = await next();
    expect(request.headers).toMatchObject({ authorization: 'Bearer let-me-in', 'idempotency-key': 'cb-1' });
    expect(body).toMatchObject({
      ...{ taskId: 'cb-1', agentId: 'helper', provider: 'vercel-ai', metadata: { step: 7 } },
      ...{ status: 'ok', output: 'Hello.', modelProvider: 'anthropic', usage: { inputTokens: 100, outputTokens: 20 } },
    });
    await dispatch({ ...asked, taskId: 'cb-2', gateway: 'scripted' });
    expect((await next()).body).toMatchObject({ taskId: 'cb-2', provider: 'scripted', status: 'ok', output: 'Hi' });
    await expect.poll(async () => (await task('cb-1')).callback).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('K-51 K-23 answers with the result when it is to wait, in either spelling', async () => {
    const { status, body } = await scripted('Echo', { wait: true, timeout: 5, agent_id: 'a', unknown_key: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok', output: 'Echo', provider: 'scripted', usage: { totalTokens: 7 } });
    expect(await task(body.taskId)).toMatchObject({ agentId: 'a', status: 'ok', result: { output: 'Echo' } });
  });

  it('E-09 E-26 assembles the prompt from the workspace’s files', async () => {
    const workspace_files = { 'AGENTS.md': 'You mend bicycles.', 'SOUL.md': 'Kindly.' };
    await dispatch({
      message: 'Hi',
      wait: true,
      gateway: 'vercel-ai',
      system_prompt: 'Be brief.',
      workspace_files,
      tools: [],
    });
    expect(llm.requests.at(-1)).toMatchObject({
      system: 'Be brief.\n\n## AGENTS.md\n\nYou mend bicycles.\n\n## SOUL.md\n\nKindly.',
      tools: [],
    });
  });

  it('runs a task once, however often it is brought', async () => {
    const before = llm.requests.length;
    const first = await dispatch({ message: 'Hi', taskId: 'twice', gateway: 'vercel-ai', wait: true });
    const second = await dispatch({ message: 'Hi', taskId: 'twice', gateway: 'vercel-ai', wait: true });
    expect(second.body).toMatchObject({ duplicate: true, output: first.body.output });
    expect(llm.requests.length).toBe(before + 1);
  });

  it.each([
    ['no message', {}],
    ['a message that is no text', { message: 7 }],
    ['an id that is none', { message: 'x', taskId: 'a/b' }],
    ['a timeout that is none', { message: 'x', timeout: -1 }],
    ['a callback to nowhere', { message: 'x', callback_url: 'ftp://a.test' }],
    ['a capability nobody knows', { message: 'x', requires: ['telepathy'] }],
    ['tools that are no list', { message: 'x', tools: { a: 1 } }],
  ])('refuses %s', async (_what, body) => {
    expect(await dispatch(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });

  it('E-17 sends no result to addresses that nobody may name', async () => {
    for (const callback_url of ['http://169.254.169.254/', `${forge.url}/api/v2/callbacks`])
      expect(await dispatch({ message: 'x', callback_url })).toMatchObject({
        status: 403,
        body: { error: { code: 'address_refused' } },
      });
  });

  it('E-03 E-31 turns whatever an adapter does into a result', async () => {
    expect((await scripted('fail', { wait: true })).body).toMatchObject({ status: 'error', errorCode: 'model_failed' });
    expect((await scripted('throw', { wait: true })).body).toMatchObject({ status: 'error', error: 'out of order' });
    expect((await scripted('nonsense', { wait: true })).body).toMatchObject({ errorCode: 'runtime_failed' });
    expect((await scripted('still there', { wait: true })).body).toMatchObject({ output: 'still there' });
  });
});

describe('E-25 where a task runs', () => {
  it('takes the first that was loaded, unless the task says otherwise', async () => {
    expect((await dispatch({ message: 'x', wait: true })).body.provider).toBe('vercel-ai');
    expect((await dispatch({ message: 'x', wait: true, requires: ['sandboxing'] })).body.provider).toBe('scripted');
    const preferences = { gateways: ['scripted'] };
    expect((await dispatch({ message: 'x', wait: true, preferences })).body.provider).toBe('scripted');
  });

  it('says what cannot be done', async () => {
    expect(await dispatch({ message: 'x', gateway: 'langgraph' })).toMatchObject({ status: 404 });
    expect(await dispatch({ message: 'x', requires: ['subagents'] })).toMatchObject({
      status: 409,
      body: { error: { code: 'runtime_not_suited' } },
    });
  });

  it('K-52 runs on a degraded runtime and warns', async () => {
    const { body } = await dispatch({ message: 'x', gateway: 'acme-ai', wait: true });
    expect(body).toMatchObject({ status: 'ok', warnings: ['acme-ai is degraded; the task may fail'] });
    const { events } = await readEvents(forge, body.taskId);
    expect(events.map(({ event }) => event)).toContain('execution.warning');
  });
});

describe('E-10 ending a task', () => {
  it('cancels a task that runs, and one that waits', async () => {
    const running = (await scripted('hang')).body.taskId as string;
    const waiting = (await scripted('later')).body.taskId as string;
    expect(await task(waiting)).toMatchObject({ status: 'queued' });
    const cancel = (id: string) => forge.request('POST', `/api/tasks/${id}/cancel`);
    expect((await cancel(waiting)).body).toMatchObject({ cancelled: true });
    await expect.poll(async () => (await task(waiting)).status).toBe('cancelled');
    expect((await cancel(running)).body).toMatchObject({ cancelled: true });
    await expect.poll(async () => (await task(running)).status).toBe('cancelled');
    expect((await cancel(running)).body).toMatchObject({ cancelled: false, status: 'cancelled' });
    expect((await cancel('nonexistent')).status).toBe(404);
  });

  it('K-53 ends a task when its time is up', async () => {
    const hold = new Promise<void>(() => undefined);
    llm.script([{ text: 'x', beforeDelta: () => hold }]);
    const { body } = await dispatch({ message: 'x', gateway: 'vercel-ai', wait: true, timeoutSeconds: 0.05 });
    expect(body).toMatchObject({ status: 'error', errorCode: 'timeout' });
    llm.script([turn.text('Hello.')]);
  });

  it('stops a task whose client waited for it and left', async () => {
    const leaving = new AbortController();
    const request = fetch(`${forge.url}/api/v2/dispatch`, {
      method: 'POST',
      headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: 'hang', gateway: 'scripted', wait: true, taskId: 'left' }),
      signal: leaving.signal,
    });
    request.catch(() => undefined);
    await expect.poll(async () => (await task('left')).status).toBe('running');
    leaving.abort();
    await expect.poll(async () => (await task('left')).status).toBe('cancelled');
  });
});

describe('K-52 a queue', () => {
  it('takes a hundred that wait, in order, and then answers 429 with Retry-After', async () => {
    const first = (await scripted('hang')).body.taskId as string;
    const waiting = await Promise.all(Array.from({ length: 100 }, (_, index) => scripted(`w${index}`)));
    expect(waiting.every(({ status }) => status === 202)).toBe(true);
    const refused = await scripted('too many');
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'queue_full',
      '5',
    ]);
    const { body } = await forge.request('GET', '/api/v2/gateways');
    expect(body.gateways.find(({ provider }: { provider: string }) => provider === 'scripted')).toMatchObject({
      running: 1,
      queued: 100,
    });
    await forge.request('POST', `/api/tasks/${first}/cancel`);
    const last = waiting.at(-1)!.body.taskId as string;
    await expect.poll(async () => (await task(last)).status).toBe('ok');
    const finished = await Promise.all(waiting.map(({ body: { taskId } }) => task(taskId)));
    const order = finished.map(({ finishedAt }) => finishedAt as string);
    expect(order).toEqual(order.toSorted());
  });
});

describe('E-19 a task’s events', () => {
  it('replays from the beginning, or after the last one that was seen', async () => {
    llm.script([turn.text(['One ', 'two ', 'three.'])]);
    const { body } = await dispatch({ message: 'x', gateway: 'vercel-ai', wait: true });
    const { events } = await readEvents(forge, body.taskId);
    expect(events.map(({ event }) => event)).toEqual([
      'execution.started',
      'execution.text',
      'execution.text',
      'execution.text',
      'execution.completed',
    ]);
    expect(events.map(({ data }) => data.data.offset).slice(1, 4)).toEqual([0, 4, 8]);
    const rest = await readEvents(forge, body.taskId, events[2]!.id);
    expect(rest.events).toEqual(events.slice(3));
  });

  it('tells what happens as it happens', async () => {
    const { body } = await scripted('hang');
    const live = readEvents(forge, body.taskId);
    await expect.poll(async () => (await task(body.taskId)).status).toBe('running');
    await forge.request('POST', `/api/tasks/${body.taskId}/cancel`);
    const { events } = await live;
    expect(events.map(({ event }) => event)).toEqual(['execution.started', 'execution.text', 'execution.failed']);
    expect(events.at(-1)!.data).toMatchObject({ data: { errorCode: 'cancelled' } });
  });

  it('E-02 masks a secret in what a model says, also in two pieces', async () => {
    llm.script([turn.text(['The key is sk-ant-', 'canary-key, I think.'])]);
    const { body } = await dispatch({ message: 'x', gateway: 'vercel-ai', wait: true });
    expect(body.output).toBe('The key is [secret], I think.');
    const { text } = await readEvents(forge, body.taskId);
    expect(text).toContain('[secret]');
    expect(text).not.toContain('canary');
    llm.script([turn.text('Hello.')]);
  });
});

describe('E-18 K-22 a callback received', () => {
  const report = (body: unknown) => forge.request('POST', '/api/v2/callbacks', body);
  const result = {
    ...{ taskId: 'step-1', agentId: 'a', status: 'ok', output: 'Done.', durationMs: 12, provider: 'elsewhere' },
    ...{ sessionId: 'sess_callback', usage: { inputTokens: 10, outputTokens: 5 } },
  };

  it('is recorded once, with its tokens, however often it is delivered', async () => {
    expect((await report(result)).body).toEqual({ ok: true, taskId: 'step-1', duplicate: false });
    const { usage, ...rest } = result;
    expect((await report({ usage, ...rest })).body).toEqual({ ok: true, taskId: 'step-1', duplicate: true });
    expect(forge.services.execution.tokens.ofSession('sess_callback')).toMatchObject({ tasks: 1, totalTokens: 15 });
    const steps = forge.services.events.since(0)?.filter(({ event }) => event.type === 'step.completed');
    expect(steps).toHaveLength(1);
  });

  it('is refused when it says something else, or nothing', async () => {
    expect(await report({ ...result, output: 'Other.' })).toMatchObject({ status: 409 });
    expect(await report({ status: 'ok' })).toMatchObject({ status: 400 });
    expect(await report({ taskId: 'x', status: 'maybe' })).toMatchObject({ status: 400 });
  });

  it('is what Forge itself delivers to another one', async () => {
    const other = await testForge();
    const callback_url = `${other.url}/api/v2/callbacks`;
    await scripted('Across', { taskId: 'across', callback_url, callback_token: other.token });
    await expect.poll(async () => (await task('across')).callback.state).toBe('delivered');
    const again = { ...(await task('across')).result, taskId: 'across' };
    expect((await other.request('POST', '/api/v2/callbacks', again)).status).toBe(409);
  });
});

describe('E-14 E-20 runtimes', () => {
  it('shows the health of each, and what they said they can do', async () => {
    expect((await forge.request('GET', '/api/health')).body.adapters).toEqual({
      'vercel-ai': { status: 'healthy' },
      'acme-ai': { status: 'degraded' },
      scripted: { status: 'healthy' },
    });
    const { body } = await forge.request('GET', '/api/v2/gateways');
    expect(body.default).toBe('vercel-ai');
    const db = await openSqlite(path.join(forge.dataDir.root, 'forge.db'), { readOnly: true });
    const rows = db.prepare('SELECT * FROM gateway_registry ORDER BY rowid').all();
    db.close();
    expect(rows.map(({ provider, status }) => `${String(provider)} ${String(status)}`)).toEqual([
      ...['vercel-ai healthy', 'acme-ai degraded', 'scripted healthy'],
    ]);
    expect(rows.map(({ profile }) => JSON.parse(String(profile)))).toEqual(
      body.gateways.map(({ profile }: { profile: unknown }) => profile),
    );
    expect(body.gateways[2]).toMatchObject({ provider: 'scripted', managers: [], profile: { maxConcurrent: 1 } });
  });

  it('E-36 has no management routes for a runtime that manages nothing', async () => {
    for (const place of ['agents', 'skills', 'models', 'security', 'agents/a/files'])
      expect(await forge.request('GET', `/api/gateway/vercel-ai/${place}`)).toMatchObject({ status: 404 });
    expect((await forge.request('GET', '/api/gateway/nobody/agents')).body.error.code).toBe('runtime_not_found');
  });
});
