// Runs with FORGE_RUNTIMES=1 where @anthropic-ai/claude-agent-sdk is installed.
import { expect, it } from 'vitest';
import { Secret } from '../../../../shared/secret.ts';
import type { ModelSettings } from '../../models/model-settings.ts';
import { SILENT } from '../../testing/adapter-contract.ts';
import { fakeLlm } from '../../testing/fake-llm/fake-llm.ts';
import { expectRealRun } from '../../testing/real-runtime.ts';
import { ClaudeAgentSDKProvider } from './provider.ts';

it('E-39 K-24 the real Claude Agent SDK works with Forge’s tools', async () => {
  const llm = await fakeLlm();
  const connection = { provider: 'anthropic', apiKey: new Secret('sk-test'), baseUrl: llm.baseUrl, isOwnServer: true };
  const models = { connection: () => connection } as unknown as ModelSettings;
  const adapter = new ClaudeAgentSDKProvider({ models, log: SILENT });
  await adapter.initialize({ PATH: process.env['PATH'], HOME: process.env['HOME'] });
  await expectRealRun(adapter, llm, 'mcp__forge__demo__get');
  expect(llm.requests[0]!.protocol).toBe('anthropic');
});
