import path from 'node:path';
import { expect, it } from 'vitest';
import { testForge } from '../../testing/forge.ts';

const SCRIPTED = path.join(import.meta.dirname, '../testing/fixtures/scripted-adapter.js');

it('takes no task that was still being looked at when Forge began to stop', async () => {
  const forge = await testForge({ BRIDGE_ADAPTERS: 'custom', CUSTOM_ADAPTER_MODULE: SCRIPTED });
  const { orchestrator } = forge.services.execution;
  const spec = { taskId: 'late', agentId: 'a', message: 'hang', tools: 'none', timeoutSeconds: 60 } as const;
  const submitted = orchestrator.submit({ ...spec, caller: { kind: 'api', name: 'test' } });
  const closed = orchestrator.close();
  await expect(submitted).rejects.toMatchObject({ code: 'shutting_down' });
  await closed;
  expect(() => orchestrator.get('late')).toThrow('there is no task');
});
