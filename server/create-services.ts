import type { PassThrough } from 'node:stream';
import type { Config } from './config.ts';
import { createApprovals } from './approvals/approvals.ts';
import type { Clock } from './bridge/clock.ts';
import { createBridge } from './bridge/create-bridge.ts';
import type { InProcessRouter } from './bridge/router.ts';
import { createChat, type Chat } from './chat/create-chat.ts';
import { createTelegramLinks, type TelegramLinks } from './chat/telegram-links.ts';
import { createOwnWriter } from './calls/append-calls.ts';
import { createCallLog } from './calls/call-log.ts';
import { createThreadWriter } from './calls/thread-writer.ts';
import { createAcceptedReach } from './connectors/accepted-reach.ts';
import { Catalog } from './connectors/catalog.ts';
import { createInstallations } from './connectors/installation.ts';
import { Installer } from './connectors/installer.ts';
import { createParsedManifests } from './connectors/parsed-manifests.ts';
import { registryFiles } from './connectors/registry-files.ts';
import { Registry } from './connectors/registry.ts';
import { createEventBus, type EventBus } from './events/event-bus.ts';
import { createDemo } from './demo/demo.ts';
import { createExecution } from './execution/create-execution.ts';
import { openAccess } from './http/access.ts';
import type { Calls, Services } from './http/services.ts';
import type { Log } from './log.ts';
import { createMcp } from './mcp/create-mcp.ts';
import { launchFor } from './mcp/launch.ts';
import { createFileStore } from './results/files.ts';
import { createResultStore } from './results/handles.ts';
import { createBrowserRunner } from './runners/browser/browser-runner.ts';
import { createHttpRunner } from './runners/http/http-runner.ts';
import { createShellRunner } from './runners/shell/shell-runner.ts';
import { createSpawner } from './runners/shell/spawner/spawner.ts';
import { createKnownHosts } from './runners/ssh/known-hosts.ts';
import { createSshRunner } from './runners/ssh/ssh-runner.ts';
import { chooseKeyStore } from './secrets/choose-key-store.ts';
import { readKeyRecord } from './secrets/key-record.ts';
import { osKeychain } from './secrets/os-keychain.ts';
import type { Redactor } from './secrets/redact.ts';
import { openSecrets, type Secrets } from './secrets/secrets.ts';
import { Settings, type SecretBox } from './settings/settings.ts';
import type { DataDir } from './store/data-dir.ts';
import { openUnhurried } from './store/database.ts';
import type { Database } from './store/sqlite.ts';
import { createCalls } from './tools/create-calls.ts';
import { createFinishResult } from './tools/finish-result.ts';
import { createInspectPage } from './tools/inspect-page.ts';
import { isReadOnlyTool } from './tools/caller-limits.ts';
import { BUILD_ID, FORGE_VERSION } from './version.ts';
import { createChannelSettings, type ChannelSettings } from './watches/channels/channel-settings.ts';
import { desktopChannel } from './watches/channels/desktop.ts';
import { createTelegramBot } from './watches/channels/telegram-bot.ts';
import { telegramChannel } from './watches/channels/telegram.ts';
import { webhookChannel } from './watches/channels/webhook.ts';
import { createWatches, type Watches } from './watches/create-watches.ts';
import { watchesForMcp } from './watches/watches-for-mcp.ts';

export interface ServicesDeps {
  config: Config;
  dataDir: DataDir;
  db: Database;
  redactor: Redactor;
  log: Log;
  /** The port in use, known once the server listens. */
  port: () => number;
  /** The time that watches go by. */
  clock: Clock;
}

/** They lie beside the bundled server. */
const THREAD_SCRIPT = new URL('./call-log-thread.js', import.meta.url);
const SPAWNER_SCRIPT = new URL('./shell-spawner.js', import.meta.url);

/** Puts the services together, lower layers first. `close` writes what waits and lets go of connections. */
export async function createServices(deps: ServicesDeps): Promise<{ services: Services; close: () => Promise<void> }> {
  const { config, dataDir, db, redactor, port } = deps;
  const access = openAccess(dataDir.token, (token) => redactor.add(token));
  const secrets = await openKeys(deps);
  const secretBox = observed(secrets, redactor);
  const settings = new Settings(db, secretBox);
  const installations = createInstallations(db);
  const parsed = createParsedManifests(db, `${FORGE_VERSION}+${BUILD_ID}`);
  parsed.prune();
  const folder = dataDir.connectors;
  const catalog = new Catalog({ folder, installations, parsed, forgeVersion: FORGE_VERSION });
  const installer = new Installer({ db, folder, catalog, installations, settings, forgeVersion: FORGE_VERSION });
  const registry = new Registry(db, registryFiles(config.registry));
  const bridge = createBridge({
    db,
    log: deps.log,
    version: FORGE_VERSION,
    keyFile: dataDir.bridgeKey,
    port,
    token: () => access.token(),
    redact: (text) => redactor.redact(text),
  });
  const inspectPage = createInspectPage(bridge.router, redactor);
  const events = createEventBus({ db, now: () => deps.clock.now() });
  const channels = createChannelSettings(settings);
  const later: Lower['later'] = { chat: null };
  const { calls, watches, telegram, close } = await wireCalls(deps, {
    catalog,
    settings,
    router: bridge.router,
    events,
    channels,
    later,
  });
  const mcp = createMcp({
    ...{ db, catalog, ...calls, watches: watchesForMcp(watches, events) },
    maxTools: config.mcpMaxTools,
    forgeVersion: FORGE_VERSION,
    address: () => `http://127.0.0.1:${port()}`,
    launch: (client) => launchFor(config, client),
    report: (error) => deps.log.error({ error }, 'the time of an MCP client could not be written'),
  });
  const acceptedReach = createAcceptedReach(db);
  const demo = createDemo({ catalog, installer, settings, port: () => config.port && config.port + 1 });
  const stores = {
    access,
    acceptedReach,
    catalog,
    demo,
    installer,
    registry,
    secrets,
    settings,
    knownHosts: createKnownHosts(db),
  };
  const execution = createExecution({
    ...{ db, config, settings, secrets: secretBox, redactor, catalog, log: deps.log, port },
    ...{ call: (request) => calls.call(request), results: calls.results, bus: events },
  });
  const chat = createChat({
    ...{ db, events, execution, redactor, log: deps.log, clock: deps.clock },
    ...{ call: (request) => calls.call(request), approvals: calls.approvals, files: calls.files, watches },
  });
  later.chat = chat;
  const background = { watches, channels, telegram, events, execution, chat, streams: new Set<PassThrough>() };
  return {
    services: { ...stores, ...background, calls, bridge, inspectPage, mcp, version: FORGE_VERSION, port },
    close: async () => {
      await chat.settled();
      await close();
    },
  };
}

/** What calls and watches stand on. */
interface Lower {
  /** Conversations stand on watches and calls, and watches report into conversations. */
  later: { chat: Chat | null };
  catalog: Catalog;
  settings: Settings;
  router: InProcessRouter;
  events: EventBus;
  channels: ChannelSettings;
}

async function wireCalls(
  { config, dataDir, db, redactor, log, port, clock }: ServicesDeps,
  { catalog, settings, router, events, channels, later }: Lower,
): Promise<{ calls: Calls; watches: Watches; telegram: TelegramLinks; close: () => Promise<void> }> {
  const http = createHttpRunner({ ownPorts: () => [port()], proxy: config.proxy });
  const spawner = createSpawner({ script: SPAWNER_SCRIPT });
  const { environment: baseEnv, home: defaultCwd } = config;
  const shell = createShellRunner({ baseEnv, defaultCwd, redactor, start: spawner.run });
  const ssh = createSshRunner({ ownPorts: () => [port()], knownHosts: createKnownHosts(db), redactor });
  const approvals = createApprovals({ db });
  approvals.listen(({ id: approval_id, session_id, tool_id, status }) => {
    events.append({ type: 'approval.changed', approval_id, session_id, tool_id, status });
    events.deliver();
  });
  const logDb = await openUnhurried(dataDir.database);
  const thread = createThreadWriter(createOwnWriter(logDb), { script: THREAD_SCRIPT, database: dataDir.database });
  const callLog = createCallLog({
    db: logDb,
    writer: thread,
    retentionDays: config.callLogDays,
    onProblem: (problem) => log.error({ problem }, 'the call log could not be written'),
  });
  callLog.prune();
  const results = createResultStore();
  const files = createFileStore(dataDir.files);
  const finish = createFinishResult({ results, files, redactor });
  const { choices } = channels;
  const origin = () => `http://127.0.0.1:${port()}`;
  const bot = createTelegramBot({ http, choices });
  const telegram = createTelegramLinks({ db, events, bot, now: () => clock.now() });
  const watches = createWatches({
    ...{ db, events, results, approvals, redactor, log, clock },
    call: (request) => call(request),
    isReadOnly: (toolId) => {
      const entry = catalog.tool(toolId);
      return entry !== null && isReadOnlyTool(entry.tool);
    },
    channels: [
      desktopChannel({ notify: (notice) => router.notify(notice), choices, origin }),
      webhookChannel({ http, choices, now: () => clock.now() }),
      telegramChannel({ bot, conversations: telegram }),
    ],
    reporter: {
      canSpeak: (sessionId) => later.chat?.reporter.canSpeak(sessionId) === true,
      words: (report, signal) => later.chat?.reporter.words(report, signal) ?? Promise.resolve(null),
    },
    onReport: (report) => later.chat?.addReport(report),
  });
  const { call, test, settled } = createCalls({
    catalog,
    settings,
    runners: { http, shell, browser: createBrowserRunner(router, { approvalMs: config.approvalSeconds * 1000 }), ssh },
    bridge: router,
    approvals,
    log: callLog,
    finish,
    redactor,
    watch: watches.place,
    onRecorded: ({ id: call_id, toolId: tool_id, connectorId: connector_id, caller, error }) =>
      events.publish({
        ...{ type: 'call.ended', call_id, tool_id, connector_id, code: error?.code ?? null },
        caller: redactor.redact(caller.name),
      }),
  });
  return {
    calls: { call, test, log: callLog, results, files, approvals },
    watches,
    telegram,
    close: async () => {
      telegram.close();
      await watches.stop();
      await settled();
      spawner.close();
      await http.close();
      callLog.close();
      thread.close();
      logDb.close();
    },
  };
}

async function openKeys({ config, dataDir, db }: ServicesDeps): Promise<Secrets> {
  const keyStore = await chooseKeyStore({
    encryptionKey: config.encryptionKey,
    recorded: readKeyRecord(db).store,
    preference: config.keyStore,
    dataDir,
    keychain: osKeychain(),
  });
  return openSecrets({ db, keyStore });
}

/** Whatever passes through here is known to the redactor before it can reach a log line or an answer. */
function observed(secrets: Secrets, redactor: Redactor): SecretBox {
  return {
    get state() {
      return secrets.state;
    },
    prepare: () => secrets.prepare(),
    seal: (text, place) => {
      redactor.add(text);
      return secrets.seal(text, place);
    },
    open: (sealed, place) => {
      const secret = secrets.open(sealed, place);
      redactor.add(secret.reveal());
      return secret;
    },
  };
}
