import type { AdapterConfig, ExecutionAdapter } from '../adapter.ts';
import type { AdapterLog } from '../adapter-log.ts';
import type { OpenSocket } from '../guarded-socket.ts';
import type { Fetch } from '../models/guarded-fetch.ts';
import type { ModelSettings } from '../models/model-settings.ts';
import type { LoadModule } from '../optional-module.ts';
import type { RuntimeProvider } from '../runtime-providers.ts';

/** What an adapter may use besides its configuration. */
export interface AdapterDeps {
  models: ModelSettings;
  /** For addresses a person has named; they are checked when the connection is made. */
  fetch: Fetch;
  openSocket: OpenSocket;
  log: AdapterLog;
  /** For runtimes that are packages a person installs. */
  load: LoadModule;
  /** Whatever it is told of here never gets into a log line, an event or an answer. */
  protect: (secret: string) => void;
}

type MakeAdapter = (deps: AdapterDeps, config: AdapterConfig) => Promise<ExecutionAdapter>;

/** One line for each adapter; its code is loaded only when it is asked for. */
export const ADAPTERS: Partial<Record<RuntimeProvider, MakeAdapter>> = {
  'vercel-ai': async (deps) => new (await import('../adapters/vercel-ai/index.ts')).VercelAIProvider(deps),
  'acme-ai': async ({ log }) => new (await import('../adapters/acme-ai/index.ts')).AcmeAIProvider(log),
  'claude-agent-sdk': async (deps) =>
    new (await import('../adapters/claude-agent-sdk/index.ts')).ClaudeAgentSDKProvider(deps),
  langgraph: async (deps) => new (await import('../adapters/langgraph/index.ts')).LangGraphProvider(deps),
  'gloo-ai': async (deps) => new (await import('../adapters/gloo-ai/index.ts')).GlooAIProvider(deps),
  'hermes-agent': async (deps, config) => {
    const hermes = await import('../adapters/hermes-agent/index.ts');
    return new (hermes.managesHermes(config) ? hermes.ManagedHermesAgentProvider : hermes.HermesAgentProvider)(deps);
  },
  openclaw: async (deps) => new (await import('../adapters/openclaw/index.ts')).OpenClawProvider(deps),
  custom: async (deps, { CUSTOM_ADAPTER_MODULE: location }) =>
    (await import('../adapters/custom/index.ts')).loadCustom(typeof location === 'string' ? location : undefined, deps),
};
