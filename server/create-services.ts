import type { PassThrough } from 'node:stream';
import type { Config } from './config.ts';
import { createApprovals, type Approvals } from './approvals/approvals.ts';
import { createDecisionWaits } from './approvals/decision-waits.ts';
import type { Clock } from './bridge/clock.ts';
import { createBridge } from './bridge/create-bridge.ts';
import { ExtensionFiles } from './bridge/extension-files.ts';
import type { InProcessRouter } from './bridge/router.ts';
import { createChat, type Chat } from './chat/create-chat.ts';
import { createTelegramLinks, type TelegramLinks } from './chat/telegram-links.ts';
import { openCallLog } from './calls/open-call-log.ts';
import { createAcceptedDefinitions, type AcceptedDefinitions } from './connectors/accepted-definitions.ts';
import { Catalog, type ToolEntry } from './connectors/catalog.ts';
import { createInstallations } from './connectors/installation.ts';
import { Installer } from './connectors/installer.ts';
import { createPackageLints } from './connectors/package-lints.ts';
import { createParsedManifests } from './connectors/parsed-manifests.ts';
import { registryFiles } from './connectors/registry-files.ts';
import { Registry } from './connectors/registry.ts';
import { tellWaiting } from './approvals/tell-waiting.ts';
import { clipText } from './results/cut-text.ts';
import { createConnectorHealth, type ConnectorHealth } from './connectors/connector-health.ts';
import { createToolModes, type ToolModes } from './connectors/tool-modes.ts';
import { createEventBus, type EventBus } from './events/event-bus.ts';
import { createDemo } from './demo/demo.ts';
import { createExecution } from './execution/create-execution.ts';
import { openAccess } from './http/access.ts';
import { createConfirmations } from './http/confirm/confirmations.ts';
import type { Calls, Services } from './http/services.ts';
import { createLoginCodes } from './http/sessions/login-codes.ts';
import { createPageSessions } from './http/sessions/page-sessions.ts';
import type { Log } from './log.ts';
import { createMcp } from './mcp/create-mcp.ts';
import { launchFor } from './mcp/launch.ts';
import { createFileStore } from './results/files.ts';
import { createResultStore } from './results/handles.ts';
import { createBrowserRunner } from './runners/browser/browser-runner.ts';
import { createHttpRunner } from './runners/http/http-runner.ts';
import { readVariable, scrubEnvironment } from './runners/shell/environment.ts';
import { createShellRunner } from './runners/shell/shell-runner.ts';
import { createProgramRecord, endLeftPrograms } from './runners/shell/spawner/program-record.ts';
import { createSpawner } from './runners/shell/spawner/spawner.ts';
import { createKnownHosts } from './runners/ssh/known-hosts.ts';
import { createSshRunner } from './runners/ssh/ssh-runner.ts';
import { chooseKeyStore } from './secrets/choose-key-store.ts';
import { readKeyRecord } from './secrets/key-record.ts';
import { osKeychain } from './secrets/os-keychain.ts';
import type { Maskers } from './secrets/maskers.ts';
import { openSecrets, type Secrets } from './secrets/secrets.ts';
import { Settings } from './settings/settings.ts';
import { withBorrowedKnown } from './settings/with-borrowed-known.ts';
import { openCacheKey } from './store/cache-key.ts';
import type { DataDir } from './store/data-dir.ts';
import type { Database } from './store/sqlite.ts';
import { createCalls } from './tools/create-calls.ts';
import { createFinishResult } from './tools/finish-result.ts';
import { createInspectPage } from './tools/inspect-page.ts';
import { createKnownSites } from './tools/known-sites.ts';
import { createOpenFiles } from './tools/files/open-files.ts';
import { createLargeResults } from './tools/large-results.ts';
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
  maskers: Maskers;
  log: Log;
  /** The port in use, known once the server listens. */
  port: () => number;
  /** The time that watches go by. */
  clock: Clock;
}

/** Names the Forge that reads manifests: what another one made of them is read afresh. */
const BUILD = `${FORGE_VERSION}+${BUILD_ID}`;

/** They lie beside the bundled server. */
const LOG_SCRIPTS = {
  writer: new URL('./call-log-thread.js', import.meta.url),
  reader: new URL('./call-log-reader.js', import.meta.url),
};
const LINT_SCRIPT = new URL('./lint-thread.js', import.meta.url);
const LARGE_RESULTS_SCRIPT = new URL('./large-results.js', import.meta.url);
// Tests run the sources, where nothing is bundled.
const SPAWNER_SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './runners/shell/spawner/spawner-process.ts' : './shell-spawner.js',
  import.meta.url,
);

/** Puts the services together, lower layers first. `close` writes what waits and lets go of connections. */
export async function createServices(deps: ServicesDeps): Promise<{ services: Services; close: () => Promise<void> }> {
  const { config, dataDir, db, maskers, port } = deps;
  const ownPorts = ownPortsOf(deps);
  const access = openAccess(dataDir.token, maskers.learnOwn);
  const secrets = await openKeys(deps);
  const connectors = openConnectors(deps, secrets);
  const { settings, catalog, accepted, toolModes, health, installer, lints } = connectors;
  const events = createEventBus({ db, now: () => deps.clock.now() });
  const bridge = createBridge({
    ...{ db, log: deps.log, version: FORGE_VERSION },
    keyFile: dataDir.bridgeKey,
    port,
    ownPorts,
    token: () => access.token(),
    redact: maskers.forge.redact,
    onPending: () => events.publish({ type: 'browser.asking' }),
  });
  const inspectPage = createInspectPage(bridge.router, maskers.person, ownPorts);
  const channels = createChannelSettings(settings);
  const later: Lower['later'] = { chat: null };
  const { calls, watches, telegram, close } = await wireCalls(deps, {
    ...{ secrets, catalog, toolModes, settings, accepted, health },
    router: bridge.router,
    events,
    channels,
    later,
    ownPorts,
  });
  const knownSites = createKnownSites({ db, now: () => deps.clock.now() });
  const mcp = createMcp({
    ...{ db, catalog, toolModes, settings, knownSites, ...calls, watches: watchesForMcp(watches, events) },
    ...{ inspectPage, hasBrowser: () => bridge.browsers.list().length > 0 },
    maxTools: config.mcpMaxTools,
    forgeVersion: FORGE_VERSION,
    address: () => `http://127.0.0.1:${port()}`,
    launch: (client) => launchFor(config, client),
    report: (error) => deps.log.error({ error }, 'the time of an MCP client could not be written'),
  });
  const demo = createDemo({ catalog, installer, settings, port: () => config.port && config.port + 1 });
  const stores = { access, ...pageAccess(deps), ...connectors, demo, secrets, knownHosts: createKnownHosts(db) };
  const execution = createExecution({
    ...{
      db,
      config,
      settings,
      secrets: withBorrowedKnown(secrets, maskers),
      maskers,
      catalog,
      toolModes,
      log: deps.log,
    },
    ...{ port, ownPorts, results: calls.results, knownSites, bus: events, call: (request) => calls.call(request) },
  });
  const chat = createChat({
    ...{ db, events, execution, masker: maskers.person, log: deps.log, clock: deps.clock },
    ...{ call: (request) => calls.call(request), approvals: calls.approvals, waits: calls.waits },
    ...{ files: calls.files, watches },
  });
  later.chat = chat;
  const background = { watches, channels, telegram, events, execution, chat, streams: new Set<PassThrough>() };
  return {
    services: {
      ...{ ...stores, ...background, calls, bridge, inspectPage, mcp, port, ownPorts },
      extensionFiles: new ExtensionFiles(),
      version: FORGE_VERSION,
    },
    close: async () => {
      await chat.settled();
      await close();
      lints.close();
    },
  };
}

/** Connectors on disk and in the registry, with their settings and what a person has said about them. */
function openConnectors({ config, dataDir, db, maskers, log }: ServicesDeps, secrets: Secrets) {
  const settings = new Settings(db, secrets, { learn: maskers.learn });
  const installations = createInstallations(db);
  const parsed = createParsedManifests(db, { parser: BUILD, key: openCacheKey(dataDir.cacheKey) });
  parsed.prune();
  const folder = dataDir.connectors;
  const lints = createPackageLints({ forgeVersion: FORGE_VERSION, script: LINT_SCRIPT });
  const catalog = new Catalog({ folder, installations, parsed, lints });
  const accepted = createAcceptedDefinitions(db, BUILD);
  const toolModes = createToolModes(db);
  const health = createConnectorHealth(db, {
    onProblem: (error) => log.error({ error }, 'whether a connector works could not be written'),
  });
  const installer = new Installer({
    ...{ db, folder, catalog, installations, settings, accepted, toolModes, health, lints },
    forgeVersion: FORGE_VERSION,
  });
  const registry = new Registry(db, registryFiles(config.registry));
  return { settings, catalog, accepted, toolModes, health, installer, lints, registry };
}

/** How pages sign in, and what a person has to confirm on them. */
function pageAccess({ db, log, clock }: ServicesDeps) {
  const now = () => clock.now();
  return {
    loginCodes: createLoginCodes({ now }),
    pageSessions: createPageSessions({
      ...{ db, now },
      report: (error) => log.error({ error }, 'the time of a page’s session could not be written'),
    }),
    confirmations: createConfirmations({ now }),
  };
}

/** What calls and watches stand on. */
interface Lower {
  /** Conversations stand on watches and calls, and watches report into conversations. */
  later: { chat: Chat | null };
  secrets: Secrets;
  catalog: Catalog;
  toolModes: ToolModes;
  settings: Settings;
  accepted: AcceptedDefinitions;
  health: ConnectorHealth;
  router: InProcessRouter;
  events: EventBus;
  channels: ChannelSettings;
  ownPorts: () => readonly number[];
}

async function wireCalls(
  { config, dataDir, db, maskers, log, port, clock }: ServicesDeps,
  { secrets, catalog, toolModes, settings, accepted, health, router, events, channels, later, ownPorts }: Lower,
): Promise<{ calls: Calls; watches: Watches; telegram: TelegramLinks; close: () => Promise<void> }> {
  const http = createHttpRunner({ ownPorts, proxy: config.proxy });
  const { shell, close: closeShell } = wireShell({ config, db, log });
  const ssh = createSshRunner({ ownPorts, knownHosts: createKnownHosts(db) });
  const approvals = createApprovals({
    db,
    onChangeAccepted: (id, definition) => accepted.acceptAsked(catalog.get(id), definition),
  });
  const waits = createDecisionWaits(approvals);
  approvals.listen(({ id: approval_id, session_id, tool_id, status }) => {
    events.append({ type: 'approval.changed', approval_id, session_id, tool_id, status });
    events.deliver();
  });
  const origin = () => `http://127.0.0.1:${port()}`;
  const silence = tellPeople(approvals, { router, channels, origin, maskers, clock });
  const callLog = await openCallLog({
    ...{ db, dataDir, secrets, keychain: osKeychain(), scripts: LOG_SCRIPTS },
    limits: { days: config.callLogDays, rows: config.callLogRows },
    onProblem: (problem) => log.error({ problem }, 'the call log could not be written'),
  });
  const large = createLargeResults(LARGE_RESULTS_SCRIPT, dataDir.files);
  const results = createResultStore({ readLarge: large?.read });
  const files = createFileStore(dataDir.files);
  const finish = createFinishResult({ results, files, large });
  const { choices } = channels;
  const bot = createTelegramBot({ http, choices });
  const telegram = createTelegramLinks({ db, events, bot, now: () => clock.now() });
  const watches = createWatches({
    ...{ db, events, results, approvals, maskers, log, clock },
    call: (request) => call(request),
    isReadOnly: (toolId) => onlyReads(catalog.tool(toolId), toolModes),
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
    ...{ catalog, toolModes, settings, accepted, onTested: health.tested },
    runners: { http, shell, browser: createBrowserRunner(router, { approvalMs: config.approvalSeconds * 1000 }), ssh },
    ...{ bridge: router, ownPorts },
    approvals,
    log: callLog,
    finish,
    maskers,
    openFiles: createOpenFiles({ results, files, folders: config.fileFolders, dataDir: dataDir.root }),
    watch: watches.place,
    onRecorded: ({ id: call_id, toolId: tool_id, connectorId: connector_id, packageId, caller, error }) => {
      health.called(packageId, { ok: error === null, ...error });
      events.publish({
        ...{ type: 'call.ended', call_id, tool_id, connector_id, code: error?.code ?? null },
        caller: maskers.forge.redact(caller.name),
      });
    },
  });
  return {
    calls: { call, test, log: callLog, results, files, approvals, waits, holdMs: config.holdSeconds * 1000 },
    watches,
    telegram,
    close: async () => {
      silence();
      telegram.close();
      await watches.stop();
      await settled();
      await closeShell();
      await http.close();
      await callLog.close();
      large?.close();
    },
  };
}

/** Programs on this computer, each started by a process of its own. */
type Tellers = Pick<Lower, 'router' | 'channels'> & Pick<ServicesDeps, 'maskers' | 'clock'> & { origin: () => string };

/** Browsers show how many calls wait for a person, and each new question on the desktop. */
function tellPeople(approvals: Approvals, { router, channels, origin, maskers, clock }: Tellers): () => void {
  return tellWaiting({
    approvals,
    tell: (count) => router.tellWaiting(count),
    notify: ({ reason, caller }) => {
      if (!channels.choices().desktop) return;
      // Its first line says what would be done.
      const message = clipText(maskers.forge.redact(`${reason.split('\n', 1)[0] ?? ''} (${caller})`), 500);
      router.notify({ title: 'Forge needs you', message, url: `${origin()}/activity`, is_question: true });
    },
    now: () => clock.now(),
  });
}

function wireShell({ config, db, log }: Pick<ServicesDeps, 'config' | 'db' | 'log'>) {
  const { environment: baseEnv, home: defaultCwd } = config;
  const left = endLeftPrograms(db);
  if (left > 0) log.warn({ programs: left }, 'ended programs that an earlier run had left behind');
  const systemRoot = readVariable(scrubEnvironment(baseEnv, process.platform), 'SYSTEMROOT', process.platform);
  const { run: start, close } = createSpawner({ script: SPAWNER_SCRIPT, record: createProgramRecord(db), systemRoot });
  return { shell: createShellRunner({ baseEnv, defaultCwd, start }), close };
}

/** Every port that Forge listens on, or will: what reaches one of them on this computer is Forge itself. */
function ownPortsOf({ config, port }: ServicesDeps): () => readonly number[] {
  return () => [port(), config.forgPort];
}

function onlyReads(entry: ToolEntry | null, toolModes: ToolModes): boolean {
  return entry !== null && toolModes.of(entry).onlyReads;
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
