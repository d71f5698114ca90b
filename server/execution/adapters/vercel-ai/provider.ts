import type { AdapterConfig, AdapterHealthStatus, ExecutionRequest } from '../../adapter.ts';
import type { AdapterLog } from '../../adapter-log.ts';
import { createLanguageModels } from '../../ai-sdk/language-models.ts';
import { modelFailure } from '../../ai-sdk/model-failure.ts';
import { streamAnswer } from '../../ai-sdk/stream-answer.ts';
import { BaseAdapter, type RunContext, type RunOutcome } from '../../base-adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';
import type { ModelSettings } from '../../models/model-settings.ts';

export interface VercelAIDeps {
  models: Pick<ModelSettings, 'choose' | 'isConfigured'>;
  fetch: Fetch;
  log?: AdapterLog;
}

/** The AI SDK: many providers, every tool through Forge. */
export class VercelAIProvider extends BaseAdapter {
  readonly provider = 'vercel-ai';
  readonly #models: VercelAIDeps['models'];
  readonly #languageModel: ReturnType<typeof createLanguageModels>;

  constructor({ models, fetch, log }: VercelAIDeps) {
    super(log);
    this.#models = models;
    this.#languageModel = createLanguageModels(fetch);
  }

  initialize(_config: AdapterConfig): Promise<void> {
    if (!this.#models.isConfigured()) this.log.info('vercel-ai: no model is set up yet');
    return Promise.resolve();
  }

  checkHealth(): Promise<AdapterHealthStatus> {
    return Promise.resolve(this.#models.isConfigured() ? 'healthy' : 'degraded');
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'mcp_servers', 'cost_tracking', 'structured_output'],
      nativeTools: [],
      maxConcurrent: 20,
      outputStrategies: ['stream', 'structured'],
      costTier: 'low',
      latencyProfile: 'fast',
    };
  }

  protected override describeFailure(error: unknown): { errorCode: string; error: string } {
    return modelFailure(error);
  }

  protected async run(request: ExecutionRequest, context: RunContext): Promise<RunOutcome> {
    const choice = this.#models.choose(request.model);
    context.note({ model: choice.model, modelProvider: choice.provider });
    const model = await this.#languageModel(choice);
    return streamAnswer(request, model, context, {
      keepsPrompt: choice.provider === 'anthropic',
      storesNothing: choice.provider === 'openai' && !choice.isOwnServer,
    });
  }
}
