import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';
import type { Log } from '../log.ts';
import type { ResultStore } from '../results/handles.ts';
import { createHttpRunner } from '../runners/http/http-runner.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { SecretBox, Settings } from '../settings/settings.ts';
import type { Database } from '../store/sqlite.ts';
import { createToolViews } from '../tools/catalogue/tool-views.ts';
import type { AdapterLog } from './adapter-log.ts';
import { createCallbacks } from './callbacks/callbacks.ts';
import { createReceiveCallback } from './callbacks/receive-callback.ts';
import { createGateways } from './gateways.ts';
import type { KnownSitesStore } from '../tools/known-sites.ts';
import { createOpenSocket } from './guarded-socket.ts';
import { connectEventRelay } from './loading/connect-event-relay.ts';
import { checkAdapterNames, loadAdapters } from './loading/load-adapters.ts';
import type { AdapterDeps } from './loading/registry.ts';
import { createMarkedData } from './marked-data.ts';
import { createModelTools, type CallTool } from './model-tools.ts';
import { createGuardedFetch } from './models/guarded-fetch.ts';
import { createModelDirectory } from './models/model-directory.ts';
import { createModelSettings } from './models/model-settings.ts';
import { createModelPrices } from './models/prices.ts';
import { createLoadModule } from './optional-module.ts';
import { createTaskRules } from './task-rules.ts';
import { Orchestrator, type TaskBus } from './tasks/orchestrator.ts';
import { createTaskRows } from './tasks/task-rows.ts';
import { createTaskStreams } from './tasks/task-stream.ts';
import { createTokenEvents } from './tasks/token-events.ts';

export interface ExecutionDeps {
  db: Database;
  config: Pick<Config, 'adapters' | 'runtimes' | 'models' | 'environment' | 'proxy' | 'mcpMaxTools'>;
  settings: Settings;
  secrets: SecretBox;
  maskers: Pick<Maskers, 'person' | 'learnOwn'>;
  catalog: Pick<Catalog, 'list'>;
  toolModes: Pick<ToolModes, 'of' | 'versionOf'>;
  call: CallTool;
  results: ResultStore;
  knownSites: KnownSitesStore;
  bus: TaskBus;
  log: Log;
  port: () => number;
  ownPorts: () => readonly number[];
}

export type Execution = ReturnType<typeof createExecution>;

/** Models, runtimes and tasks, put together. Adapters are loaded when they are first needed, or by `start`. */
export function createExecution(deps: ExecutionDeps) {
  const { db, config, bus, port, ownPorts } = deps;
  const { person: masker, learnOwn } = deps.maskers;
  checkAdapterNames(config.adapters);
  for (const { apiKey } of Object.values(config.models)) if (apiKey !== undefined) learnOwn(apiKey);
  const now = () => new Date();
  const log = adapterLog(deps.log);
  const models = createModelSettings(deps.settings, config.models);
  const outgoing = createGuardedFetch({ ownPorts, proxy: config.proxy });
  const http = createHttpRunner({ ownPorts, proxy: config.proxy });
  const rows = createTaskRows(db, now);
  const tokens = createTokenEvents(db, now);
  const prices = createModelPrices(db);
  const streams = createTaskStreams();
  const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
  const callbacks = createCallbacks({
    rows,
    http,
    secrets: deps.secrets,
    ownPorts,
    warn: (message) => log.warn(message),
    sleep,
  });
  const adapterDeps: AdapterDeps = {
    ...{ models, fetch: outgoing.fetch, openSocket: createOpenSocket(ownPorts), log },
    protect: learnOwn,
    load: createLoadModule(config.runtimes),
  };
  const gateways = createGateways({
    db,
    load: async () => {
      const loaded = await loadAdapters(config.adapters, config.environment, adapterDeps);
      connectEventRelay(loaded, { publish: (event) => orchestrator.hear(event) }, log);
      return loaded;
    },
  });
  const address = () => `http://127.0.0.1:${port()}`;
  const views = createToolViews(deps, config.mcpMaxTools);
  const tools = createModelTools({ views, results: deps.results, call: deps.call, address });
  const orchestrator = new Orchestrator({
    db,
    gateways,
    tools,
    rules: createTaskRules(deps.call, createMarkedData(), deps.knownSites),
    rows,
    tokens,
    prices,
    streams,
    callbacks,
    masker,
    bus,
  });
  const interrupted = orchestrator.recover();
  if (interrupted > 0) deps.log.warn({ interrupted }, 'tasks of an earlier run were interrupted');

  return {
    models,
    prices,
    /** Whether there is anybody to answer in a conversation: a model, or a runtime that has its own. */
    canAnswer: async (): Promise<boolean> =>
      models.isConfigured() || (await gateways.candidates()).some(({ provider }) => provider !== 'vercel-ai'),
    directory: createModelDirectory({ models, fetch: outgoing.fetch, masker, prices }),
    gateways,
    tools,
    orchestrator,
    streams,
    tokens,
    receiveCallback: createReceiveCallback({ db, tokens, bus, masker, now }),
    /** For a rotation of keys. */
    resealAll: (reseal: (sealed: string, place: string) => string) => rows.resealAll(reseal),
    /** Once the server listens. */
    start: async (): Promise<void> => {
      callbacks.resume();
      await gateways.list();
    },
    /** Ends tasks and streams; what was not delivered is delivered after the next start. */
    close: async (): Promise<void> => {
      await orchestrator.close();
      await callbacks.stop();
      await gateways.shutdown();
      await Promise.all([outgoing.close(), http.close()]);
    },
  };
}

/** Adapters speak in sentences; Forge's log has the rest. */
function adapterLog(log: Log): AdapterLog {
  return {
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message) => log.error(message),
  };
}
