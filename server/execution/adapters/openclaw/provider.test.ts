import { describe, expect, it } from 'vitest';
import type { ExecutionEvent, HistoryMessage } from '../../adapter.ts';
import { createOpenSocket } from '../../guarded-socket.ts';
import { isAgentManager, isRuntimeManager, isSkillManager, isSystemManager } from '../../managers.ts';
import { adapterContract, SILENT } from '../../testing/adapter-contract.ts';
import { deferred } from '../../testing/deferred.ts';
import { executionRequest } from '../../testing/execution-request.ts';
import { fakeOpenClaw, type FakeOpenClaw } from '../../testing/fake-openclaw.ts';
import { OpenClawProvider } from './provider.ts';

async function adapterAt(url: string, token = 'claw-token'): Promise<OpenClawProvider> {
  const adapter = new OpenClawProvider({
    openSocket: createOpenSocket(() => []),
    protect: () => undefined,
    log: SILENT,
  });
  await adapter.initialize({ OPENCLAW_GATEWAY_URL: url, OPENCLAW_GATEWAY_TOKEN: token });
  return adapter;
}

const ready = async (
  options?: Parameters<typeof fakeOpenClaw>[0],
): Promise<{ claw: FakeOpenClaw; adapter: OpenClawProvider }> => {
  const claw = await fakeOpenClaw(options);
  return { claw, adapter: await adapterAt(claw.url) };
};

/** A run that has begun and does not end. */
const UNENDED = { run: [{ stream: 'assistant', data: { text: 'Hm', delta: 'Hm' } }] };

adapterContract({
  provider: 'openclaw',
  profile: {
    capabilities: ['streaming', 'session_resume', 'file_io', 'sandboxing', 'subagents', 'management'],
    nativeTools: ['read', 'write', 'edit', 'exec', 'browser'],
    maxConcurrent: 4,
    outputStrategies: ['stream'],
    costTier: 'medium',
    latencyProfile: 'variable',
  },
  bare: async () => adapterAt((await fakeOpenClaw()).url, ''),
  bareHealth: 'offline',
  ready: async () => (await ready()).adapter,
  stuck: async () => {
    const { adapter } = await ready(UNENDED);
    const reached = deferred();
    adapter.onEvent(({ type }) => type === 'execution.text' && reached.resolve());
    return { adapter, reached: reached.promise };
  },
});

describe('E-34 K-24 openclaw', () => {
  it('says what to do when the token is not right, or nobody is there', async () => {
    const claw = await fakeOpenClaw();
    const wrong = await (await adapterAt(claw.url, 'wrong')).execute(executionRequest());
    expect(wrong).toMatchObject({ status: 'error', errorCode: 'model_auth_failed' });
    const nobody = await (await adapterAt('ws://127.0.0.1:9')).execute(executionRequest());
    expect(nobody).toMatchObject({ status: 'error', errorCode: 'runtime_offline' });
  });

  it('refuses addresses that nobody may name', async () => {
    const result = await (await adapterAt('ws://169.254.169.254/')).execute(executionRequest());
    expect(result).toMatchObject({ errorCode: 'address_refused' });
  });

  it('runs a task in a session of its own, and shows its tools', async () => {
    const { claw, adapter } = await ready({
      run: [
        { stream: 'tool', data: { phase: 'start', name: 'exec', toolCallId: 't1', args: { command: 'ls' } } },
        { stream: 'tool', data: { phase: 'result', name: 'exec', toolCallId: 't1', result: 'a.txt', isError: false } },
        { stream: 'assistant', data: { text: 'One file.' } },
        { stream: 'lifecycle', data: { phase: 'end' } },
      ],
      answers: { 'sessions.patch': () => ({}) },
    });
    const events: ExecutionEvent[] = [];
    adapter.onEvent((event) => events.push(event));
    const request = { agentId: 'main', sessionId: 'sess_1', systemPrompt: 'Be brief.', model: 'a/b' };
    expect(await adapter.execute(executionRequest(request))).toMatchObject({ status: 'ok', output: 'One file.' });
    expect(claw.asked.find(({ method }) => method === 'connect')!.params).toMatchObject({
      role: 'operator',
      client: { id: 'gateway-client', mode: 'backend' },
    });
    expect(claw.asked.find(({ method }) => method === 'sessions.patch')!.params).toEqual({
      key: 'agent:main:forge:sess_1',
      model: 'a/b',
    });
    expect(claw.asked.find(({ method }) => method === 'agent')!.params).toEqual({
      ...{ message: 'Hello?', agentId: 'main', sessionKey: 'agent:main:forge:sess_1', extraSystemPrompt: 'Be brief.' },
      ...{ deliver: false, idempotencyKey: 'task-1', timeout: 60 },
    });
    expect(events.map(({ type }) => type).slice(1, 4)).toEqual([
      'execution.tool_call',
      'execution.tool_result',
      'execution.text',
    ]);
  });

  it('goes on in the session that has seen what was said, and in no other', async () => {
    const { claw, adapter } = await ready();
    const said: HistoryMessage[] = [
      { role: 'user', text: 'Hello?' },
      { role: 'assistant', text: 'Hello.', taskId: 't1' },
    ];
    const ask = (taskId: string, history?: HistoryMessage[]) =>
      adapter.execute(executionRequest({ taskId, sessionId: 'sess_1', history }));
    await ask('t1', []);
    await ask('t2', said);
    await ask('t3', said);
    await ask('t4');
    const runs = claw.asked.filter(({ method }) => method === 'agent').map(({ params }) => params);
    expect(runs.map(({ sessionKey, message }) => [sessionKey, message])).toEqual([
      ['agent:main:forge:sess_1:t1', 'Hello?'],
      ['agent:main:forge:sess_1:t1', 'Hello?'],
      // The second answer was taken back.
      ['agent:main:forge:sess_1:t3', 'What was said before:\n\nPerson: Hello?\n\nYou: Hello.\n\nPerson: Hello?'],
      ['agent:main:forge:sess_1', 'Hello?'],
    ]);
  });

  it('aborts the run when the task is cancelled', async () => {
    const { claw, adapter } = await ready({ ...UNENDED, answers: { 'chat.abort': () => ({ ok: true }) } });
    const reached = deferred();
    adapter.onEvent(({ type }) => type === 'execution.text' && reached.resolve());
    const running = adapter.execute(executionRequest());
    await reached.promise;
    await adapter.cancel('task-1');
    expect(await running).toMatchObject({ errorCode: 'cancelled', output: 'Hm' });
    await expect.poll(() => claw.asked.at(-1)).toMatchObject({ method: 'chat.abort', params: { runId: 'task-1' } });
  });

  it('ends a task when the daemon dies, and connects again for the next', async () => {
    const { claw, adapter } = await ready(UNENDED);
    const reached = deferred();
    adapter.onEvent(({ type }) => type === 'execution.text' && reached.resolve());
    const running = adapter.execute(executionRequest());
    await reached.promise;
    claw.drop();
    expect(await running).toMatchObject({ status: 'error', errorCode: 'runtime_offline' });
    expect(await adapter.checkHealth()).toBe('healthy');
  });

  it('says why a run failed', async () => {
    const { adapter } = await ready({ run: [{ stream: 'lifecycle', data: { phase: 'error', error: 'no credits' } }] });
    expect(await adapter.execute(executionRequest())).toMatchObject({ status: 'error', error: 'no credits' });
  });

  it('E-12 relays its events to the bus until it is told to stop', async () => {
    const { adapter } = await ready();
    const published: string[] = [];
    adapter.startEventRelay({ publish: ({ type }) => published.push(type) });
    await adapter.execute(executionRequest());
    expect(published).toContain('execution.text');
    const before = published.length;
    adapter.stopEventRelay();
    await adapter.execute(executionRequest({ taskId: 'task-2' }));
    expect(published).toHaveLength(before);
  });
});

describe('E-35 E-36 E-37 openclaw manages', () => {
  it('everything there is to manage', async () => {
    const { adapter } = await ready();
    expect([isRuntimeManager, isAgentManager, isSkillManager, isSystemManager].every((is) => is(adapter))).toBe(true);
  });

  it('agents and their files', async () => {
    const { claw, adapter } = await ready({
      answers: {
        'agents.create': ({ name }) => ({ ok: true, agentId: name }),
        'agents.update': () => ({ ok: true }),
        'agents.delete': () => ({ ok: true }),
        'agents.files.list': () => ({
          files: [
            { name: 'AGENTS.md', missing: false },
            { name: 'X.md', missing: true },
          ],
        }),
        'agents.files.get': () => ({ file: { name: 'AGENTS.md', content: 'Hi.' } }),
        'agents.files.set': () => ({ ok: true }),
      },
    });
    expect(await adapter.listAgents()).toEqual([{ id: 'main', name: 'Main', model: 'a/b' }]);
    await adapter.pushAgent({ id: 'mechanic', systemPrompt: 'Mend.', model: 'x/y' });
    await adapter.pushAgent({ id: 'main', name: 'First' });
    await adapter.removeAgent('mechanic');
    expect(await adapter.listFiles('main')).toEqual(['AGENTS.md']);
    expect(await adapter.readFile('main', 'AGENTS.md')).toBe('Hi.');
    expect(claw.asked.filter(({ method }) => /create|update|delete|set/.test(method))).toEqual([
      {
        method: 'agents.create',
        params: { name: 'mechanic', workspace: '~/.openclaw/workspace-mechanic', model: 'x/y' },
      },
      { method: 'agents.files.set', params: { agentId: 'mechanic', name: 'AGENTS.md', content: 'Mend.' } },
      { method: 'agents.update', params: { agentId: 'main', name: 'First' } },
      { method: 'agents.delete', params: { agentId: 'mechanic', deleteFiles: false } },
    ]);
  });

  it('channels, on top of what others have saved', async () => {
    const bindings = [{ agentId: 'main', match: { channel: 'slack' } }];
    const { claw, adapter } = await ready({
      answers: { 'config.get': () => ({ config: { bindings }, raw: '{}', hash: 'h1' }), 'config.patch': () => ({}) },
    });
    expect(await adapter.listBindings('main')).toEqual(['slack']);
    await adapter.bindChannel('main', 'telegram');
    await adapter.unbindChannel('main', 'slack');
    expect(claw.asked.filter(({ method }) => method === 'config.patch').map(({ params }) => params)).toEqual([
      {
        raw: JSON.stringify({ bindings: [...bindings, { agentId: 'main', match: { channel: 'telegram' } }] }),
        baseHash: 'h1',
      },
      { raw: JSON.stringify({ bindings: [] }), baseHash: 'h1' },
    ]);
  });

  it('skills, models, configuration and safety', async () => {
    const { claw, adapter } = await ready({
      answers: {
        'skills.status': () => ({ skills: [{ skillKey: 'pdf', name: 'PDF', disabled: true }] }),
        'skills.install': () => ({}),
        'skills.update': () => ({}),
        'models.list': () => ({ models: [{ id: 'b', name: 'B', provider: 'a' }] }),
        'config.get': () => ({ raw: '{"a":1}', hash: 'h2' }),
        'config.apply': () => ({}),
        'exec.approvals.get': () => ({ defaults: { security: 'deny' } }),
      },
    });
    expect(await adapter.listSkills()).toEqual([{ key: 'pdf', name: 'PDF', enabled: false }]);
    expect(await adapter.discoverModels()).toEqual([{ id: 'b', name: 'B', provider: 'a' }]);
    expect(await adapter.securityPosture()).toEqual({ execApprovals: { defaults: { security: 'deny' } } });
    await adapter.pushSkill({ key: 'weather' });
    await adapter.removeSkill('pdf');
    await adapter.installDependencies('pdf', 'brew');
    await adapter.reloadConfig();
    await expect(adapter.installSkill({ key: 'x', content: '# X' })).rejects.toMatchObject({ code: 'not_supported' });
    expect(claw.asked.filter(({ method }) => /install|update|apply/.test(method))).toEqual([
      { method: 'skills.install', params: { source: 'clawhub', slug: 'weather' } },
      { method: 'skills.update', params: { skillKey: 'pdf', enabled: false } },
      { method: 'skills.install', params: { name: 'pdf', installId: 'brew' } },
      { method: 'config.apply', params: { raw: '{"a":1}', baseHash: 'h2' } },
    ]);
  });
});
