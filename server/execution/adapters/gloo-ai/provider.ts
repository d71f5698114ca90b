import type { LanguageModel } from 'ai';
import { ForgeError } from '../../../../shared/errors.ts';
import type { AdapterConfig, AdapterHealthStatus, ExecutionRequest } from '../../adapter.ts';
import { modelFailure } from '../../ai-sdk/model-failure.ts';
import { streamAnswer } from '../../ai-sdk/stream-answer.ts';
import { BaseAdapter, type RunContext, type RunOutcome } from '../../base-adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import { configText } from '../../config-text.ts';
import type { AdapterDeps } from '../../loading/registry.ts';
import { baseUrlOf } from '../../models/base-url.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';
import { createAccessToken } from './access-token.ts';

const BASE_URL = 'https://platform.ai.gloo.com/ai/v2';
const MODEL_FAMILIES = ['openai', 'anthropic', 'google', 'open source'];

/** How Gloo chooses the model: by itself, within a family, or not at all. */
type Routing = { auto_routing: true } | { model_family: string } | { model: string };

/** Gloo AI's Completions v2: it chooses the model itself unless the task names one. */
export class GlooAIProvider extends BaseAdapter {
  readonly provider = 'gloo-ai';
  readonly #fetch: Fetch;
  readonly #protect: AdapterDeps['protect'];
  #baseUrl = BASE_URL;
  #tradition: string | undefined;
  /** Null where no credentials are set. */
  #token: (() => Promise<string>) | null = null;

  constructor({ fetch, protect, log }: Pick<AdapterDeps, 'fetch' | 'protect' | 'log'>) {
    super(log);
    this.#fetch = fetch;
    this.#protect = protect;
  }

  initialize(config: AdapterConfig): Promise<void> {
    const [key, clientId, clientSecret] = ['GLOO_API_KEY', 'GLOO_CLIENT_ID', 'GLOO_CLIENT_SECRET'].map((name) =>
      configText(config, name),
    );
    this.#baseUrl = baseUrlOf(configText(config, 'GLOO_BASE_URL') ?? BASE_URL, '/ai/v2');
    this.#tradition = configText(config, 'GLOO_TRADITION');
    const tokenUrl = configText(config, 'GLOO_TOKEN_URL') ?? new URL('/oauth2/token', this.#baseUrl).href;
    for (const secret of [key, clientSecret]) if (secret !== undefined) this.#protect(secret);
    if (key !== undefined) this.#token = () => Promise.resolve(key);
    else if (clientId !== undefined && clientSecret !== undefined)
      this.#token = createAccessToken({ tokenUrl, clientId, clientSecret }, this.#fetch, this.#protect);
    else
      this.log.warn('gloo-ai: GLOO_CLIENT_ID and GLOO_CLIENT_SECRET, or GLOO_API_KEY, are not set; requests will fail');
    return Promise.resolve();
  }

  async checkHealth(): Promise<AdapterHealthStatus> {
    if (this.#token === null) return 'degraded';
    try {
      await this.#token();
      return 'healthy';
    } catch {
      // Why it failed is told when a task needs it.
      return 'offline';
    }
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'cost_tracking'],
      nativeTools: [],
      maxConcurrent: 10,
      outputStrategies: ['stream'],
      costTier: 'low',
      latencyProfile: 'variable',
    };
  }

  protected override describeFailure(error: unknown): { errorCode: string; error: string } {
    return modelFailure(error);
  }

  protected async run(request: ExecutionRequest, context: RunContext): Promise<RunOutcome> {
    if (this.#token === null)
      throw new ForgeError('model_not_configured', 'Gloo AI has no credentials', {
        hint: 'Set GLOO_CLIENT_ID and GLOO_CLIENT_SECRET.',
      });
    const model = request.model === '' ? 'auto' : request.model;
    context.note({ model, modelProvider: 'gloo' });
    return streamAnswer(request, await this.#languageModel(request, await this.#token()), context);
  }

  /** Their API is OpenAI's with a few words of its own, and another address for answers that are grounded in a publisher's texts. */
  async #languageModel({ model, metadata = {} }: ExecutionRequest, token: string): Promise<LanguageModel> {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { tradition = this.#tradition, rag_publisher } = metadata;
    const grounded: Fetch = (input, init) => this.#fetch(`${requestUrl(input)}/grounded`, init);
    return createOpenAICompatible({
      ...{ name: 'gloo', baseURL: this.#baseUrl, apiKey: token, includeUsage: true },
      fetch: rag_publisher === undefined ? this.#fetch : grounded,
      transformRequestBody: ({ model: _unused, ...body }) => ({
        ...body,
        ...routingOf(model),
        ...(tradition === undefined ? {} : { tradition }),
        ...(rag_publisher === undefined ? {} : { rag_publisher }),
      }),
    })(model === '' ? 'auto' : model);
  }
}

function routingOf(model: string): Routing {
  if (model === '' || model === 'auto') return { auto_routing: true };
  return MODEL_FAMILIES.includes(model) ? { model_family: model } : { model };
}

function requestUrl(input: Parameters<Fetch>[0]): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
}
