import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, testForge } from '../../testing/forge.ts';
import { upstream } from '../../testing/upstream.ts';
import { fakeOpenClaw } from '../testing/fake-openclaw.ts';
import { readEvents } from '../testing/read-events.ts';

const SCRIPTED = path.join(import.meta.dirname, '../testing/fixtures/scripted-adapter.js');

describe('a restart', () => {
  it('marks what ran and what waited as interrupted, tells whoever waits, and starts nothing again', async () => {
    const receiver = await upstream();
    const env = {
      FORGE_DATA_DIR: path.join(tempFolder(), 'data'),
      ...{ BRIDGE_ADAPTERS: 'custom', CUSTOM_ADAPTER_MODULE: SCRIPTED },
    };
    const first = await testForge(env);
    const dispatch = (taskId: string) =>
      first.request('POST', '/api/v2/dispatch', {
        message: 'hang',
        taskId,
        callback_url: receiver.url,
        callback_token: 'canary',
      });
    await dispatch('ran');
    await dispatch('waited');
    const live = readEvents(first, 'ran');
    await expect.poll(() => first.services.streams.size).toBe(1);
    await first.close();
    expect((await live).events.at(-1)!.data).toMatchObject({
      type: 'execution.failed',
      data: { errorCode: 'task_interrupted' },
    });
    expect(receiver.seen).toEqual([]);

    const second = await testForge(env);
    for (const id of ['ran', 'waited']) {
      const { body } = await second.request('GET', `/api/v2/tasks/${id}`);
      expect(body).toMatchObject({ status: 'interrupted', result: { status: 'error', errorCode: 'task_interrupted' } });
    }
    // Sealed, so a rotation finds it; delivered once the server listens.
    expect((await second.request('POST', '/api/secrets/rotate')).body).toMatchObject({ count: 2 });
    await second.services.execution.start();
    await expect.poll(() => receiver.seen.length).toBe(2);
    expect(receiver.seen[0]!.headers['authorization']).toBe('Bearer canary');
    expect(JSON.parse(receiver.seen[0]!.body)).toMatchObject({ taskId: 'ran', errorCode: 'task_interrupted' });
    // Its stream is gone; its end is not.
    expect((await readEvents(second, 'ran')).events).toMatchObject([{ event: 'execution.failed' }]);
    expect((await second.request('POST', '/api/tasks/ran/cancel')).body).toMatchObject({
      cancelled: false,
      status: 'interrupted',
    });
  });

  it('finds what a crash has left', async () => {
    const env = { FORGE_DATA_DIR: path.join(tempFolder(), 'data'), BRIDGE_ADAPTERS: 'acme-ai' };
    const first = await testForge(env);
    await first.request('POST', '/api/v2/dispatch', { message: 'x', taskId: 'done', wait: true });
    await first.close();
    const { openDatabase } = await import('../../store/database.ts');
    const db = await openDatabase(path.join(env.FORGE_DATA_DIR, 'forge.db'));
    db.exec("UPDATE tasks SET status = 'running', result = NULL, finished_at = NULL");
    db.close();
    const second = await testForge(env);
    expect((await second.request('GET', '/api/v2/tasks/done')).body.status).toBe('interrupted');
    expect(second.logLines.join('')).toContain('tasks of an earlier run were interrupted');
  });
});

describe('K-52 a runtime that is down', () => {
  it.each(['offline', 'throws'])('is not given a task (%s): 503', async (health) => {
    const forge = await testForge({
      BRIDGE_ADAPTERS: 'custom',
      CUSTOM_ADAPTER_MODULE: SCRIPTED,
      SCRIPTED_HEALTH: health,
    });
    const answer = await forge.request('POST', '/api/v2/dispatch', { message: 'x', taskId: 'none' });
    expect([answer.status, answer.body.error.code]).toEqual([503, 'runtime_offline']);
    expect((await forge.request('GET', '/api/v2/tasks/none')).status).toBe(404);
    expect((await forge.request('GET', '/api/health')).body.adapters).toEqual({ scripted: { status: 'offline' } });
  });

  it('E-20 stays in the registry with the reason, when it could not even be loaded', async () => {
    const forge = await testForge({ BRIDGE_ADAPTERS: 'custom', CUSTOM_ADAPTER_MODULE: '/nonexistent.mjs' });
    const { body } = await forge.request('GET', '/api/v2/gateways');
    expect(body.gateways).toMatchObject([{ provider: 'custom', status: 'offline', profile: null }]);
    expect(body.gateways[0].problem).toContain('nonexistent');
    const refused = await forge.request('POST', '/api/v2/dispatch', { message: 'x' });
    expect(refused.body.error.message).toBe(body.gateways[0].problem);
  });
});

describe('E-36 management over HTTP', () => {
  it('is there for a runtime that manages', async () => {
    const claw = await fakeOpenClaw({
      answers: {
        'agents.files.list': () => ({ files: [{ name: 'AGENTS.md' }] }),
        'agents.delete': () => ({ ok: true }),
        'models.list': () => ({ models: [{ id: 'b', name: 'B' }] }),
        'skills.update': () => ({}),
        'agents.files.set': () => ({}),
      },
    });
    const forge = await testForge({
      BRIDGE_ADAPTERS: 'openclaw',
      OPENCLAW_GATEWAY_URL: claw.url,
      OPENCLAW_GATEWAY_TOKEN: claw.token,
    });
    const at = (method: string, place: string, body?: unknown) =>
      forge.request(method, `/api/gateway/openclaw/${place}`, body);
    expect((await forge.request('GET', '/api/v2/gateways')).body.gateways[0]).toMatchObject({
      ...{ provider: 'openclaw', status: 'healthy', managers: ['runtime', 'agents', 'skills', 'system'] },
    });
    expect((await at('GET', 'agents')).body).toEqual({ agents: [{ id: 'main', name: 'Main', model: 'a/b' }] });
    expect((await at('GET', 'agents/main/files')).body).toEqual({ files: ['AGENTS.md'] });
    expect((await at('PUT', 'agents/main/files/AGENTS.md', { content: 'Hi.' })).body).toEqual({ ok: true });
    expect((await at('GET', 'models')).body).toEqual({ models: [{ id: 'b', name: 'B' }] });
    expect((await at('PATCH', 'skills/pdf', { enabled: false })).body).toEqual({ ok: true });
    expect((await at('DELETE', 'agents/old')).body).toEqual({ ok: true });
    expect((await at('POST', 'reload')).body.error).toMatchObject({
      code: 'runtime_failed',
      message: 'unknown method: config.get',
    });
    expect(claw.asked.slice(-3).map(({ method, params }) => [method, params])).toEqual([
      ['skills.update', { enabled: false, skillKey: 'pdf' }],
      ['agents.delete', { agentId: 'old', deleteFiles: false }],
      ['config.get', {}],
    ]);
    // Layer 3: where the agent is deployed; its events come over its own relay.
    const { body } = await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', agentId: 'main', wait: true });
    expect(body).toMatchObject({ status: 'ok', output: 'Hello.', provider: 'openclaw' });
    expect((await readEvents(forge, body.taskId)).events.map(({ event }) => event)).toContain('execution.text');
  });
});
