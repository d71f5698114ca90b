// Runs with FORGE_RUNTIMES=1 where @langchain/langgraph, @langchain/anthropic and @langchain/openai are installed.
import { it } from 'vitest';
import { Secret } from '../../../../shared/secret.ts';
import { createGuardedFetch } from '../../models/guarded-fetch.ts';
import type { ModelChoice, ModelSettings } from '../../models/model-settings.ts';
import { SILENT } from '../../testing/adapter-contract.ts';
import { fakeLlm } from '../../testing/fake-llm/fake-llm.ts';
import { expectRealRun } from '../../testing/real-runtime.ts';
import { LangGraphProvider } from './provider.ts';

const { fetch } = createGuardedFetch({ ownPorts: () => [], proxy: {} });

it.each<ModelChoice['provider']>(['anthropic', 'openai'])(
  'E-39 K-24 the real LangGraph works with Forge’s tools and %s',
  async (provider) => {
    const llm = await fakeLlm();
    const choice: ModelChoice = {
      ...{ provider, model: 'fake-large', apiKey: new Secret('sk-test'), baseUrl: llm.baseUrl, isOwnServer: true },
    };
    const models = { choose: () => choice, isConfigured: () => true } as unknown as ModelSettings;
    const adapter = new LangGraphProvider({ models, fetch, log: SILENT });
    await adapter.initialize({});
    await expectRealRun(adapter, llm, 'demo__get');
  },
);
