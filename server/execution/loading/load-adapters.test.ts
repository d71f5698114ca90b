import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { tempFolder, testForge } from '../../testing/forge.ts';
import type { ExecutionEvent } from '../adapter.ts';
import { createOpenSocket } from '../guarded-socket.ts';
import type { ModelSettings } from '../models/model-settings.ts';
import { SILENT } from '../testing/adapter-contract.ts';
import { deferred } from '../testing/deferred.ts';
import { executionRequest } from '../testing/execution-request.ts';
import { connectEventRelay } from './connect-event-relay.ts';
import { loadAdapters, loadSingleAdapter } from './load-adapters.ts';
import type { AdapterDeps } from './registry.ts';

const SCRIPTED = path.join(import.meta.dirname, '../testing/fixtures/scripted-adapter.js');
const deps: AdapterDeps = {
  // No model is set up; nothing here asks one.
  models: { isConfigured: () => false } as unknown as ModelSettings,
  ...{ fetch, openSocket: createOpenSocket(() => []), log: SILENT, protect: () => undefined },
  load: (name) => Promise.reject(new Error(`Cannot find package ${name}`)),
};

describe('E-13 E-33 which adapters are loaded', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['the default one', {}, ['vercel-ai']],
    ['a single one', { GATEWAY_PROVIDER: 'acme-ai' }, ['acme-ai']],
    ['several', { BRIDGE_ADAPTERS: ' claude-agent-sdk, acme-ai,,' }, ['claude-agent-sdk', 'acme-ai']],
    [
      'several with a default',
      { BRIDGE_ADAPTERS: 'vercel-ai,acme-ai', GATEWAY_PROVIDER: 'acme-ai' },
      ['acme-ai', 'vercel-ai'],
    ],
  ])('%s', (_what, env, expected) => {
    expect(readConfig(env).adapters).toEqual(expected);
  });

  it('E-05 makes, initialises and names each', async () => {
    const names = ['vercel-ai', 'acme-ai', 'gloo-ai', 'hermes-agent', 'openclaw', 'claude-agent-sdk', 'langgraph'];
    const loaded = await loadAdapters(names, {}, deps);
    expect(loaded.map(({ provider }) => provider)).toEqual(names);
    expect(loaded.every((entry) => 'adapter' in entry)).toBe(true);
  });

  it('E-31 leaves one out that cannot start, and takes no other along', async () => {
    const config = { CUSTOM_ADAPTER_MODULE: SCRIPTED, SCRIPTED_HEALTH: 'broken' };
    const loaded = await loadAdapters(['custom', 'acme-ai'], config, deps);
    expect(loaded).toMatchObject([
      { provider: 'custom', problem: { message: 'the scripted adapter is broken' } },
      { provider: 'acme-ai' },
    ]);
  });

  it('refuses to start with a name that is no runtime', async () => {
    await expect(testForge({ BRIDGE_ADAPTERS: 'nobody' })).rejects.toThrow('it must be one of');
  });

  it('E-32 starts with convex-native, and says that it is not available here', async () => {
    const forge = await testForge({ BRIDGE_ADAPTERS: 'convex-native,acme-ai' });
    const { body } = await forge.request('GET', '/api/v2/gateways');
    const problem = 'convex-native is not available here: this Forge has no adapter for it';
    const hint = 'Leave convex-native out of GATEWAY_PROVIDER and BRIDGE_ADAPTERS, or name another runtime there.';
    expect(body.gateways).toMatchObject([
      { provider: 'convex-native', status: 'offline', problem, code: 'not_supported', hint },
      { provider: 'acme-ai', problem: null, code: null, hint: null },
    ]);
    const pinned = await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', gateway: 'convex-native' });
    expect(pinned).toMatchObject({ status: 501, body: { error: { code: 'not_supported', message: problem, hint } } });
    const other = await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', wait: true });
    expect(other.status).toBe(200);
  });

  it('E-32 says why no task can run when the only runtime is not available', async () => {
    const forge = await testForge({ GATEWAY_PROVIDER: 'convex-native' });
    const { body } = await forge.request('POST', '/api/v2/dispatch', { message: 'Hi' });
    expect(body.error).toMatchObject({ code: 'not_supported', message: expect.stringContaining('not available here') });
  });
});

const custom = (config: Record<string, string> = {}) =>
  loadSingleAdapter('custom', { CUSTOM_ADAPTER_MODULE: SCRIPTED, ...config }, deps);

describe('K-24 custom', () => {
  it('runs whatever its module makes', async () => {
    const adapter = await custom();
    expect(adapter.provider).toBe('scripted');
    expect(await adapter.execute(executionRequest({ message: 'Echo' }))).toMatchObject({ output: 'Echo' });
  });

  it.each<[string, string, string]>([
    ['nothing', 'export const a = 1;', 'neither createAdapter nor a class'],
    ['no name', 'export default class { }', 'its provider must be'],
    ['no methods', 'export default class { provider = "x" }', 'it has no initialize, shutdown'],
    [
      'a profile of its own',
      'const f = () => ({ capabilities: ["magic"] }); export default class { provider = "x"; initialize = f; shutdown = f; checkHealth = f; capabilities = f; execute = f; cancel = f }',
      'its capabilities must be of',
    ],
  ])('refuses a module with %s', async (_what, source, message) => {
    const file = path.join(tempFolder(), 'adapter.mjs');
    writeFileSync(file, source);
    await expect(custom({ CUSTOM_ADAPTER_MODULE: file })).rejects.toThrow(message);
  });

  it('says that no module is named', async () => {
    await expect(loadSingleAdapter('custom', {}, deps)).rejects.toThrow('CUSTOM_ADAPTER_MODULE');
  });
});

// The module decides about time and failures by itself; what the contract asks for beyond that, the orchestrator adds.
describe('E-38 custom as an adapter', () => {
  it('E-07 E-08 E-10 has health, a profile, and can be cancelled', async () => {
    const adapter = await custom({ SCRIPTED_HEALTH: 'degraded' });
    expect(await adapter.checkHealth()).toBe('degraded');
    expect(adapter.capabilities()).toMatchObject({ capabilities: ['streaming', 'sandboxing'], maxConcurrent: 1 });
    const reached = deferred();
    adapter.onEvent?.(({ type }) => type === 'execution.text' && reached.resolve());
    const running = adapter.execute(executionRequest({ message: 'hang' }));
    await reached.promise;
    expect(await adapter.cancel('task-1')).toBe(true);
    expect(await running).toMatchObject({ errorCode: 'cancelled' });
    expect(await adapter.cancel('task-1')).toBe(false);
    await adapter.shutdown();
  });

  it('E-06 ends what runs when it shuts down', async () => {
    const adapter = await custom();
    const reached = deferred();
    adapter.onEvent?.(({ type }) => type === 'execution.text' && reached.resolve());
    const running = adapter.execute(executionRequest({ message: 'hang' }));
    await reached.promise;
    await adapter.shutdown();
    expect(await running).toMatchObject({ status: 'error', errorCode: 'cancelled' });
  });

  it('E-11 tells listeners until they leave', async () => {
    const adapter = await custom();
    const [stays, leaves]: [string[], string[]] = [[], []];
    const leaving = ({ type }: ExecutionEvent) => void leaves.push(type);
    adapter.onEvent?.(({ type }) => stays.push(type));
    adapter.onEvent?.(leaving);
    adapter.offEvent?.(leaving);
    await adapter.execute(executionRequest({ message: 'Echo' }));
    expect([stays, leaves]).toEqual([['execution.started', 'execution.text'], []]);
  });

  it('E-31 is not stopped by a listener of Forge that throws', async () => {
    const adapter = await custom();
    const warnings: string[] = [];
    const log = { ...SILENT, warn: (line: string) => void warnings.push(line) };
    const publish = (): never => {
      throw new Error('boom');
    };
    connectEventRelay([{ provider: 'scripted', adapter }], { publish }, log);
    expect(await adapter.execute(executionRequest({ message: 'Echo' }))).toMatchObject({ status: 'ok' });
    expect(warnings).toHaveLength(2);
  });
});
