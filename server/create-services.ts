import type { Config } from './config.ts';
import { createApprovals } from './approvals/approvals.ts';
import { createBridge } from './bridge/create-bridge.ts';
import type { BridgeRouter } from './bridge/router.ts';
import { createCallLog } from './calls/call-log.ts';
import { Catalog } from './connectors/catalog.ts';
import { createInstallations } from './connectors/installation.ts';
import { Installer } from './connectors/installer.ts';
import { createParsedManifests } from './connectors/parsed-manifests.ts';
import { registryFiles } from './connectors/registry-files.ts';
import { Registry } from './connectors/registry.ts';
import { openAccess } from './http/access.ts';
import type { Calls, Services } from './http/services.ts';
import type { Log } from './log.ts';
import { createMcp } from './mcp/create-mcp.ts';
import { createFileStore } from './results/files.ts';
import { createResultStore } from './results/handles.ts';
import { createBrowserRunner } from './runners/browser/browser-runner.ts';
import { createHttpRunner } from './runners/http/http-runner.ts';
import { createShellRunner } from './runners/shell/shell-runner.ts';
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
import { BUILD_ID, FORGE_VERSION } from './version.ts';

export interface ServicesDeps {
  config: Config;
  dataDir: DataDir;
  db: Database;
  redactor: Redactor;
  log: Log;
  /** The port in use, known once the server listens. */
  port: () => number;
}

/** Puts the services together, lower layers first. `close` writes what waits and lets go of connections. */
export async function createServices(deps: ServicesDeps): Promise<{ services: Services; close: () => Promise<void> }> {
  const { config, dataDir, db, redactor, port } = deps;
  const access = openAccess(dataDir.token);
  redactor.add(access.token());
  const secrets = await openKeys(deps);
  const settings = new Settings(db, observed(secrets, redactor));
  const installations = createInstallations(db);
  const parsed = createParsedManifests(db, `${FORGE_VERSION}+${BUILD_ID}`);
  parsed.prune();
  const folder = dataDir.connectors;
  const catalog = new Catalog({ folder, installations, parsed, forgeVersion: FORGE_VERSION });
  const installer = new Installer({ db, folder, catalog, installations, settings, forgeVersion: FORGE_VERSION });
  const registry = new Registry(db, registryFiles(config.registry));
  const bridge = createBridge({ db, log: deps.log, version: FORGE_VERSION, port });
  const inspectPage = createInspectPage(bridge.router, redactor);
  const { calls, close } = await wireCalls(deps, catalog, settings, bridge.router);
  const mcp = createMcp({
    ...{ db, catalog, ...calls },
    maxTools: config.mcpMaxTools,
    forgeVersion: FORGE_VERSION,
    address: () => `http://127.0.0.1:${port()}`,
  });
  const stores = { access, catalog, installer, registry, secrets, settings };
  return { services: { ...stores, calls, bridge, inspectPage, mcp, version: FORGE_VERSION, port }, close };
}

async function wireCalls(
  { config, dataDir, db, redactor, log, port }: ServicesDeps,
  catalog: Catalog,
  settings: Settings,
  router: BridgeRouter,
): Promise<{ calls: Calls; close: () => Promise<void> }> {
  const http = createHttpRunner({ ownPorts: () => [port()], proxy: config.proxy });
  const shell = createShellRunner({ baseEnv: config.environment, defaultCwd: config.home });
  const approvals = createApprovals({ db });
  const logDb = await openUnhurried(dataDir.database);
  const callLog = createCallLog({
    db: logDb,
    retentionDays: config.callLogDays,
    onProblem: (problem) => log.error({ problem }, 'the call log could not be written'),
  });
  callLog.prune();
  const results = createResultStore();
  const files = createFileStore(dataDir.files);
  const finish = createFinishResult({ results, files, redactor });
  const { call, test, settled } = createCalls({
    catalog,
    settings,
    runners: { http, shell, browser: createBrowserRunner(router) },
    bridge: router,
    approvals,
    log: callLog,
    finish,
    redactor,
  });
  return {
    calls: { call, test, log: callLog, results, files, approvals },
    close: async () => {
      await settled();
      await http.close();
      callLog.close();
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
