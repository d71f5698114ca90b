import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { ForgeError, isForgeError } from '../shared/errors.ts';
import type { Config } from './config.ts';
import { Catalog } from './connectors/catalog.ts';
import { createInstallations } from './connectors/installation.ts';
import { Installer } from './connectors/installer.ts';
import { summarise } from './connectors/overview.ts';
import { createParsedManifests } from './connectors/parsed-manifests.ts';
import { registryFiles } from './connectors/registry-files.ts';
import { Registry } from './connectors/registry.ts';
import { openAccess } from './http/access.ts';
import { createApp, type App } from './http/app.ts';
import type { Services } from './http/services.ts';
import { createLog, type Log } from './log.ts';
import { chooseKeyStore } from './secrets/choose-key-store.ts';
import { readKeyRecord } from './secrets/key-record.ts';
import { osKeychain } from './secrets/os-keychain.ts';
import { createRedactor } from './secrets/redact.ts';
import { openSecrets, type Secrets } from './secrets/secrets.ts';
import { Settings, type SecretBox } from './settings/settings.ts';
import { openDataDir, type DataDir } from './store/data-dir.ts';
import { openDatabase } from './store/database.ts';
import { removeLeftovers, writeFileDurably } from './store/durable-files.ts';
import { acquireLock } from './store/lock.ts';
import type { Database } from './store/sqlite.ts';
import { BUILD_ID, FORGE_VERSION } from './version.ts';

const REGISTRY_INTERVAL_MS = 60 * 60 * 1000;
/** Requests under way get this long to finish when Forge stops. */
const CLOSE_GRACE_MS = 5000;

export interface StartOptions {
  /** How long to wait for another process to let go of the data dir. */
  waitMs?: number;
  /** Where log lines go instead of standard error. */
  log?: (line: string) => void;
  /** True for a server people connect to; a command's own short-lived one does not announce itself. */
  announce?: boolean;
}

/** A running Forge. */
export interface Forge {
  url: string;
  /** Opens the page and logs in. The token stands behind #, so that it is never sent in a request line. */
  loginLink: () => string;
  dataDir: DataDir;
  services: Services;
  routes: App['routes'];
  log: Log;
  close(): Promise<void>;
}

type Redactor = ReturnType<typeof createRedactor>;

/** The composition root: config → store → services → http. */
export async function startForge(config: Config, options: StartOptions = {}): Promise<Forge> {
  const dataDir = openDataDir(config.dataDir);
  const lock = await acquireLock(dataDir.lock, { waitMs: options.waitMs ?? 0 });
  let db: Database | null = null;
  try {
    removeLeftovers(dataDir.root);
    db = await openDatabase(dataDir.database);
    const forge = await serve(config, options, dataDir, db);
    const open = db;
    return {
      ...forge,
      close: async () => {
        await forge.close();
        open.close();
        lock.release();
      },
    };
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}

async function serve(config: Config, options: StartOptions, dataDir: DataDir, db: Database): Promise<Forge> {
  const redactor = createRedactor();
  const redact = (text: string) => redactor.redact(text);
  const log = createLog({ level: config.logLevel, redact, ...(options.log ? { write: options.log } : {}) });
  let port = config.port;
  const services = await createServices(config, dataDir, db, redactor, () => port);
  const finished = services.installer.recover();
  if (finished.length > 0) log.warn({ connectors: finished }, 'finished changes that an earlier run had begun');

  const { server, routes } = createApp({ services, log, redact, connectorStates: () => connectorStates(services) });
  port = await listen(server, config.port);
  const url = `http://127.0.0.1:${port}`;
  if (options.announce === true) {
    writeFileDurably(dataDir.serverInfo, Buffer.from(`${JSON.stringify({ url, pid: process.pid })}\n`));
  }
  // A command's own server reads the registry only if the command asks for it.
  const stopReading = options.announce === true ? readRegistryHourly(services, log) : () => undefined;
  log.info({ url, dataDir: dataDir.root, version: FORGE_VERSION }, 'forge is up');
  return {
    url,
    loginLink: () => `${url}/#token=${services.access.token()}`,
    dataDir,
    services,
    routes,
    log,
    close: async () => {
      stopReading();
      services.registry.close();
      await closeServer(server);
      if (options.announce === true) rmSync(dataDir.serverInfo, { force: true });
    },
  };
}

async function createServices(
  config: Config,
  dataDir: DataDir,
  db: Database,
  redactor: Redactor,
  port: () => number,
): Promise<Services> {
  const access = openAccess(dataDir.token);
  redactor.add(access.token());
  const keyStore = await chooseKeyStore({
    encryptionKey: config.encryptionKey,
    recorded: readKeyRecord(db).store,
    preference: config.keyStore,
    dataDir,
    keychain: osKeychain(),
  });
  const secrets = await openSecrets({ db, keyStore });
  const settings = new Settings(db, observed(secrets, redactor));
  const installations = createInstallations(db);
  const parsed = createParsedManifests(db, `${FORGE_VERSION}+${BUILD_ID}`);
  parsed.prune();
  const folder = dataDir.connectors;
  const catalog = new Catalog({ folder, installations, parsed, forgeVersion: FORGE_VERSION });
  const installer = new Installer({ db, folder, catalog, installations, settings, forgeVersion: FORGE_VERSION });
  const registry = new Registry(db, registryFiles(config.registry));
  return { access, catalog, installer, registry, secrets, settings, version: FORGE_VERSION, port };
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

function connectorStates({ catalog, settings }: Services): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const installed of catalog.list()) {
    const { state } = summarise(installed, settings, undefined);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** Once at start and then every hour, in the background: what it offers is shown beside what is installed. */
function readRegistryHourly({ registry }: Services, log: Log): () => void {
  const read = () => {
    registry.list(true).then(
      ({ problem }) => problem !== null && log.warn({ problem }, 'the registry cannot be read'),
      (error: unknown) => {
        if (!isForgeError(error, 'shutting_down')) log.error({ error }, 'reading the registry failed');
      },
    );
  };
  const timer = setInterval(read, REGISTRY_INTERVAL_MS);
  timer.unref();
  read();
  return () => clearInterval(timer);
}

function listen(server: App['server'], port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      const message = `port ${port} on 127.0.0.1 is taken or not allowed`;
      reject(isTaken ? new ForgeError('port_in_use', message, { cause: error }) : error);
    });
    server.listen({ host: '127.0.0.1', port }, () => {
      // A TCP server that listens has an address of this kind.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function closeServer(server: App['server']): Promise<void> {
  const stopWaiting = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(stopWaiting);
}
