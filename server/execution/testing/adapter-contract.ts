// What every adapter has to do, whatever runs behind it. An adapter's own test calls this and adds what is particular to it.
import { describe, expect, it } from 'vitest';
import type { AdapterHealthStatus, ExecutionAdapter, ExecutionEvent } from '../adapter.ts';
import { gatewaySupports, type GatewayCapabilityProfile } from '../capabilities.ts';
import { executionRequest } from './execution-request.ts';

export interface AdapterContract {
  provider: string;
  profile: GatewayCapabilityProfile;
  /** Initialised, but with nothing set up. */
  bare: () => Promise<ExecutionAdapter>;
  bareHealth: AdapterHealthStatus;
  /** Initialised, with a runtime that is there and answers. */
  ready: () => Promise<ExecutionAdapter>;
  /** Initialised, with a runtime that never answers; `reached` resolves when a task has got there. */
  stuck: () => Promise<{ adapter: ExecutionAdapter; reached: Promise<unknown> }>;
}

export function adapterContract(contract: AdapterContract): void {
  const { provider, profile, bare, bareHealth, ready, stuck } = contract;

  describe(`E-01 E-38 E-39 ${provider} as an adapter`, () => {
    it('E-04 says who it is', async () => {
      expect((await bare()).provider).toBe(provider);
    });

    it('E-08 E-34 declares what it can do', async () => {
      const adapter = await bare();
      expect(adapter.capabilities()).toEqual(profile);
      expect(gatewaySupports(adapter.capabilities(), 'streaming')).toBe(profile.capabilities.includes('streaming'));
    });

    it(`E-07 is ${bareHealth} with nothing set up and healthy with it`, async () => {
      expect(await (await bare()).checkHealth()).toBe(bareHealth);
      expect(await (await ready()).checkHealth()).toBe('healthy');
    });

    it('E-09 E-27 runs a task and returns its result, in order of its events', async () => {
      const adapter = await ready();
      const events: ExecutionEvent[] = [];
      adapter.onEvent?.((event) => events.push(event));
      const result = await adapter.execute(executionRequest());
      expect(result).toMatchObject({ status: 'ok', output: 'Hello.' });
      expect(result.durationMs).toBeGreaterThanOrEqual(0);
      expect(events.at(0)).toMatchObject({ type: 'execution.started', taskId: 'task-1', agentId: 'agent-1' });
      expect(events.at(-1)).toMatchObject({ type: 'execution.completed', taskId: 'task-1' });
      expect(new Date(events[0]!.timestamp).toISOString()).toBe(events[0]!.timestamp);
    });

    it('E-10 cancels an active task, and knows nothing of others', async () => {
      const { adapter, reached } = await stuck();
      expect(await adapter.cancel('nonexistent')).toBe(false);
      const running = adapter.execute(executionRequest());
      await reached;
      expect(await adapter.cancel('task-1')).toBe(true);
      expect(await running).toMatchObject({ status: 'error', errorCode: 'cancelled' });
      expect(await adapter.cancel('task-1')).toBe(false);
    });

    it('K-53 ends a task whose time is up, and says so', async () => {
      const { adapter } = await stuck();
      const events: ExecutionEvent[] = [];
      adapter.onEvent?.((event) => events.push(event));
      const result = await adapter.execute(executionRequest({ timeoutSeconds: 0.02 }));
      expect(result).toMatchObject({ status: 'error', errorCode: 'timeout' });
      expect(events.at(-1)).toMatchObject({ type: 'execution.failed', data: { errorCode: 'timeout' } });
    });

    it('E-06 ends every active task when it shuts down', async () => {
      const { adapter, reached } = await stuck();
      const running = adapter.execute(executionRequest());
      await reached;
      await adapter.shutdown();
      expect(await running).toMatchObject({ status: 'error' });
      expect(await adapter.cancel('task-1')).toBe(false);
    });

    it('E-11 tells listeners until they leave', async () => {
      const adapter = await ready();
      const [stays, leaves]: [string[], string[]] = [[], []];
      const leaving = (event: ExecutionEvent) => leaves.push(event.type);
      adapter.onEvent?.((event) => stays.push(event.type));
      adapter.onEvent?.(leaving);
      adapter.offEvent?.(leaving);
      await adapter.execute(executionRequest());
      expect(stays).toContain('execution.completed');
      expect(leaves).toEqual([]);
    });

    it('E-31 goes on when a listener throws', async () => {
      const adapter = await ready();
      const heard: string[] = [];
      adapter.onEvent?.(() => {
        throw new Error('boom');
      });
      adapter.onEvent?.((event) => heard.push(event.type));
      expect(await adapter.execute(executionRequest())).toMatchObject({ status: 'ok' });
      expect(heard).toContain('execution.completed');
    });
  });
}

/** Says nothing; what adapters print is not what these tests are about. */
export const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
