import type { ExecutionEvent, ExecutionRequest } from '../../adapter.ts';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { executionRequest } from '../../testing/execution-request.ts';
import { AcmeAIProvider } from './provider.ts';

describe('E-30 E-38 the guide’s own tests, but for where things are imported from', () => {
  describe('AcmeAIProvider', () => {
    afterEach(() => {
      vi.restoreAllMocks();
    });

    it('exposes provider identity', () => {
      const provider = new AcmeAIProvider();
      expect(provider.provider).toBe('acme-ai');
    });

    it('returns expected capabilities', () => {
      const provider = new AcmeAIProvider();
      expect(provider.capabilities()).toEqual({
        capabilities: ['streaming', 'cost_tracking'],
        nativeTools: [],
        maxConcurrent: 20,
        outputStrategies: ['stream'],
        costTier: 'low',
        latencyProfile: 'fast',
      });
    });

    it('reports degraded health without API key', async () => {
      const provider = new AcmeAIProvider();
      await expect(provider.checkHealth()).resolves.toBe('degraded');
    });

    it('cancels active task and returns true', async () => {
      const provider = new AcmeAIProvider();
      // Access the private Map via Reflect to inject a controller
      const controllers = Reflect.get(provider, 'activeAbortControllers') as Map<string, AbortController>;
      const controller = new AbortController();
      controllers.set('task-42', controller);

      await expect(provider.cancel('task-42')).resolves.toBe(true);
      expect(controller.signal.aborted).toBe(true);
      expect(controllers.has('task-42')).toBe(false);
    });

    it('returns false when cancelling unknown task', async () => {
      const provider = new AcmeAIProvider();
      await expect(provider.cancel('nonexistent')).resolves.toBe(false);
    });

    it('swallows listener errors without breaking other listeners', () => {
      const provider = new AcmeAIProvider();
      const events: ExecutionEvent[] = [];

      provider.onEvent(() => {
        throw new Error('boom');
      });
      provider.onEvent((event) => {
        events.push(event);
      });

      const emitEvent = Reflect.get(provider, 'emitEvent').bind(provider) as (event: ExecutionEvent) => void;

      expect(() =>
        emitEvent({
          type: 'execution.completed',
          taskId: 't1',
          agentId: 'a1',
          timestamp: new Date().toISOString(),
        }),
      ).not.toThrow();

      expect(events).toHaveLength(1);
    });
  });
});

/** Acme's runtime as far as a test needs one: it answers never, until it is told to stop. */
class StuckAcme extends AcmeAIProvider {
  protected override generate(_request: ExecutionRequest, signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      // The package's fetch would reject with the signal's own reason.
      signal.addEventListener('abort', () => reject(new Error('This operation was aborted')));
    });
  }
}

function logged() {
  const lines: string[] = [];
  const add = (level: string) => (line: string) => lines.push(`${level} ${line}`);
  return { lines, log: { info: add('info'), warn: add('warn'), error: add('error') } };
}

describe('E-30 acme-ai at work', () => {
  it('E-05 takes its key from the configuration, else from the environment, and warns when there is none', async () => {
    const { lines, log } = logged();
    const without = new AcmeAIProvider(log);
    await without.initialize({});
    expect(lines).toContain('warn [AcmeAIProvider] ACME_AI_API_KEY not set -- requests will fail');
    const keyed = new AcmeAIProvider(log);
    await keyed.initialize({ ACME_AI_API_KEY: 'sk-acme' });
    await expect(keyed.checkHealth()).resolves.toBe('healthy');
    vi.stubEnv('ACME_AI_API_KEY', 'sk-acme');
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = new AcmeAIProvider(log);
    await found.initialize({});
    await expect(found.checkHealth()).resolves.toBe('healthy');
    expect(lines.join('\n')).not.toContain('sk-acme');
  });

  it('E-27 E-29 returns a result and tells of its start and its end', async () => {
    const provider = new AcmeAIProvider(logged().log);
    const events: string[] = [];
    provider.onEvent(({ type, taskId, agentId }) => events.push(`${type} ${taskId} ${agentId}`));
    const result = await provider.execute(executionRequest({ model: 'acme-1' }));
    expect(result).toMatchObject({ status: 'ok', output: '', model: 'acme-1', modelProvider: 'acme' });
    expect(result.usage).toEqual({
      inputTokens: null,
      outputTokens: null,
      thinkingTokens: null,
      totalTokens: null,
      cacheReadTokens: null,
      cacheWriteTokens: null,
    });
    expect(events).toEqual(['execution.started task-1 agent-1', 'execution.completed task-1 agent-1']);
  });

  it.each([
    ['a cancel', 60, (provider: AcmeAIProvider) => provider.cancel('task-1')],
    ['its time', 0.01, () => Promise.resolve(true)],
    ['a shutdown', 60, (provider: AcmeAIProvider) => provider.shutdown()],
  ])('K-53 calls it cancelled when %s ends a task', async (_what, timeoutSeconds, stop) => {
    const provider = new StuckAcme(logged().log);
    const failures: unknown[] = [];
    provider.onEvent((event) => event.type === 'execution.failed' && failures.push(event.data));
    const running = provider.execute(executionRequest({ timeoutSeconds }));
    await stop(provider);
    expect(await running).toMatchObject({ status: 'error', errorCode: 'cancelled' });
    expect(failures).toEqual([{ error: 'This operation was aborted' }]);
    expect((Reflect.get(provider, 'activeAbortControllers') as Map<string, unknown>).size).toBe(0);
  });

  it('E-11 forgets a listener that leaves', async () => {
    const provider = new AcmeAIProvider(logged().log);
    const heard: string[] = [];
    const listener = ({ type }: ExecutionEvent) => heard.push(type);
    provider.onEvent(listener);
    provider.offEvent(listener);
    await provider.execute(executionRequest());
    expect(heard).toEqual([]);
  });
});
