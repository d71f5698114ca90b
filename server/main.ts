import { rmSync } from 'node:fs';
import type { ConnectorSummary } from '../shared/api.ts';
import { isForgeError } from '../shared/errors.ts';
import { systemClock, type Clock } from './bridge/clock.ts';
import type { Config } from './config.ts';
import { summarise } from './connectors/overview.ts';
import { createServices } from './create-services.ts';
import { createApp, type App } from './http/app.ts';
import { closeServer } from './http/close-server.ts';
import { listen } from './http/listen.ts';
import type { Services } from './http/services.ts';
import { createLog, type Log } from './log.ts';
import { pruneFiles } from './results/prune-files.ts';
import { createMaskers } from './secrets/maskers.ts';
import { openDataDir, type DataDir } from './store/data-dir.ts';
import { openDatabase } from './store/database.ts';
import { removeLeftovers, writeFileDurably } from './store/durable-files.ts';
import { acquireLock } from './store/lock.ts';
import type { Database } from './store/sqlite.ts';
import { FORGE_VERSION } from './version.ts';

const FIRST_WORK_MS = 2000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

export interface StartOptions {
  /** How long to wait for another process to let go of the data dir. */
  waitMs?: number;
  /** Where log lines go instead of standard error. */
  log?: (line: string) => void;
  /** The time that watches go by. */
  clock?: Clock;
  /** True for a server people connect to; a command's own short-lived one does not announce itself. */
  announce?: boolean;
}

/** A running Forge. */
export interface Forge {
  url: string;
  /** A new link that opens the page and logs in, once. Its code stands behind #, so that it is never sent in a request line. */
  loginLink: () => string;
  dataDir: DataDir;
  services: Services;
  /** The connectors that are installed, and how each is. */
  connectors: () => ConnectorSummary[];
  routes: App['routes'];
  log: Log;
  close(): Promise<void>;
}

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
    const close = async (): Promise<void> => {
      await forge.close();
      open.close();
      lock.release();
    };
    let closing: Promise<void> | undefined;
    return { ...forge, close: () => (closing ??= close()) };
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}

async function serve(config: Config, options: StartOptions, dataDir: DataDir, db: Database): Promise<Forge> {
  const maskers = createMaskers({
    onGuessing: (connector) =>
      log.warn({ connector }, 'calls have named many words that look like a secret of this connector; they are masked'),
  });
  const log = createLog({
    level: config.logLevel,
    redact: maskers.log.redact,
    ...(options.log ? { write: options.log } : {}),
  });
  let port = config.port;
  const { services, close: closeServices } = await createServices({
    config,
    dataDir,
    db,
    maskers,
    log,
    port: () => port,
    clock: options.clock ?? systemClock,
  });
  const finished = services.installer.recover();
  if (finished.length > 0) log.warn({ connectors: finished }, 'finished changes that an earlier run had begun');

  const connectors = () => services.catalog.list().map((installed) => summarise(installed, services.settings));
  const app = createApp({
    services,
    log,
    redact: maskers.forge.redact,
    connectorStates: () => countStates(connectors()),
  });
  const listening = await listen(app.server, config.port);
  port = listening.port;
  const url = `http://127.0.0.1:${port}`;
  if (options.announce === true) {
    writeFileDurably(dataDir.serverInfo, Buffer.from(`${JSON.stringify({ url, pid: process.pid })}\n`));
    services.bridge.router.expect(services.bridge.browsers.list().map(({ id }) => id));
  }
  // A command's own server is gone before anything could be due.
  if (options.announce === true) services.watches.start();
  if (options.announce === true) {
    void services.execution.start().catch((error: unknown) => log.error({ error }, 'the adapters could not be loaded'));
  }
  // A command's own server reads the registry only if the command asks for it.
  const stopHourly = options.announce === true ? workHourly(services, log) : () => undefined;
  if (options.announce === true) {
    void services.demo.resume().catch((error: unknown) => log.warn({ error }, 'the demo shop could not be started'));
  }
  const stopTidying = tidyFiles(dataDir.files, config, log);
  log.info({ url, dataDir: dataDir.root, version: FORGE_VERSION }, 'forge is up');
  return {
    url,
    loginLink: () => `${url}/#code=${services.loginCodes.make().code}`,
    dataDir,
    services,
    connectors,
    routes: app.routes,
    log,
    close: async () => {
      // First of all: every answer from now on ends its connection.
      const serverClosed = closeServer(app, services.bridge.server, listening);
      stopHourly();
      await stopTidying();
      await services.demo.close();
      services.registry.close();
      services.mcp.endStreams();
      services.calls.waits.releaseHeld();
      // Whoever follows a task hears how it ended.
      await services.execution.close();
      for (const stream of services.streams) stream.end();
      await serverClosed;
      await closeServices();
      if (options.announce === true) rmSync(dataDir.serverInfo, { force: true });
    },
  };
}

function countStates(connectors: readonly ConnectorSummary[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of connectors) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** At start and then every hour, in the background: old calls go, and the registry's offers are read. */
function workHourly({ calls, registry, watches }: Services, log: Log): () => void {
  const read = () => {
    calls.log.prune().then(
      (count) => count > 0 && log.info({ count }, 'old calls were removed from the log'),
      (error: unknown) => log.error({ error }, 'old calls could not be removed from the log'),
    );
    watches.tidy();
    registry.list(true).then(
      ({ problem }) => problem !== null && log.warn({ problem }, 'the registry cannot be read'),
      (error: unknown) => {
        if (!isForgeError(error, 'shutting_down')) log.error({ error }, 'reading the registry failed');
      },
    );
  };
  // Whoever starts Forge wants to use it first.
  const first = setTimeout(read, FIRST_WORK_MS);
  const timer = setInterval(read, HOUR_MS);
  for (const each of [first, timer]) each.unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}

/** At start and then every day, in the background: saved files go that are too old or too large together. */
function tidyFiles(folder: string, { fileDays, fileMb }: Config, log: Log): () => Promise<void> {
  const stopped = new AbortController();
  const limits = { keepMs: fileDays * DAY_MS, maxBytes: fileMb * 1_000_000 };
  const tidy = () =>
    pruneFiles(folder, limits, { signal: stopped.signal }).then(
      ({ removed, bytes, problems }) => {
        if (removed > 0) log.info({ removed, bytes }, 'old files were removed');
        if (problems.length > 0) log.warn({ problems }, 'some old files could not be removed');
      },
      (error: unknown) => log.error({ error }, 'looking for old files failed'),
    );
  let last = tidy();
  const timer = setInterval(() => {
    last = tidy();
  }, DAY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    stopped.abort();
    return last;
  };
}
