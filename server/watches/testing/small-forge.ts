import path from 'node:path';
import { ForgeError } from '../../../shared/errors.ts';
import { reportText } from '../../../shared/report-text.ts';
import { createApprovals } from '../../approvals/approvals.ts';
import { WATCH_LIMITS, type WatchLimits } from '../../../shared/manifest/watch-limits.ts';
import type { Clock } from '../../bridge/clock.ts';
import { createCallLog } from '../../calls/call-log.ts';
import { openLogKeys } from '../../calls/log-keys.ts';
import { Catalog } from '../../connectors/catalog.ts';
import { createInstallations } from '../../connectors/installation.ts';
import { createAcceptedDefinitions } from '../../connectors/accepted-definitions.ts';
import { createPackageLints } from '../../connectors/package-lints.ts';
import { createParsedManifests } from '../../connectors/parsed-manifests.ts';
import { createToolModes } from '../../connectors/tool-modes.ts';
import { createEventBus } from '../../events/event-bus.ts';
import { createLog } from '../../log.ts';
import { createFileStore } from '../../results/files.ts';
import { createResultStore } from '../../results/handles.ts';
import { createHttpRunner } from '../../runners/http/http-runner.ts';
import type { Runner } from '../../runners/job.ts';
import { fileKeyStore } from '../../secrets/key-store-file.ts';
import { createMaskers } from '../../secrets/maskers.ts';
import { openSecrets } from '../../secrets/secrets.ts';
import { Settings } from '../../settings/settings.ts';
import { openDatabase } from '../../store/database.ts';
import type { Database } from '../../store/sqlite.ts';
import { createCalls } from '../../tools/create-calls.ts';
import { createFinishResult } from '../../tools/finish-result.ts';
import { createChannelSettings } from '../channels/channel-settings.ts';
import { webhookChannel } from '../channels/webhook.ts';
import { createWatches } from '../create-watches.ts';
import type { Reporter } from '../speaker.ts';

interface SmallForgeOptions {
  root: string;
  clock: Clock;
  /** Called before and after everything that a crash could come between: statements, requests and a model's words. */
  onStep?: () => void;
  limits?: Partial<WatchLimits>;
}

/** What a model puts before a report that it says in its own words. */
export const SPOKEN = 'As I see it: ';

const none: Runner<never> = {
  run: () => Promise.reject(new ForgeError('not_supported', 'this Forge makes requests only')),
};

/** The services that calls and watches need, and no others, so that a process with them starts quickly. */
export async function openSmallForge({ root, clock, onStep = () => undefined, limits }: SmallForgeOptions) {
  const db = stepping(await openDatabase(path.join(root, 'forge.db')), onStep);
  const maskers = createMaskers();
  const log = createLog({ level: 'error', redact: (text) => text });
  const secrets = await openSecrets({ db, keyStore: fileKeyStore(path.join(root, 'key')) });
  const settings = new Settings(db, secrets);
  const catalog = new Catalog({
    folder: path.join(root, 'connectors'),
    installations: createInstallations(db),
    parsed: createParsedManifests(db, { parser: 'test', key: Buffer.alloc(32, 7) }),
    lints: createPackageLints({ forgeVersion: '1.0.0' }),
  });
  const accepted = createAcceptedDefinitions(db, 'test');
  for (const installed of catalog.list()) if (!accepted.has(installed.id)) accepted.accept(installed);
  const results = createResultStore();
  const approvals = createApprovals({ db });
  const keys = await openLogKeys({ db, secrets });
  const limitsOfLog = { days: 30, rows: 1_000_000 };
  const callLog = createCallLog({ db, keys, headFile: path.join(root, 'call-log-head'), limits: limitsOfLog });
  const events = createEventBus({ db, now: () => clock.now() });
  const runner = createHttpRunner({ ownPorts: () => [] });
  const http: typeof runner = {
    ...runner,
    run: async (job, context) => {
      onStep();
      const response = await runner.run(job, context);
      onStep();
      return response;
    },
  };
  const channels = createChannelSettings(settings);
  // As a conversation is written, except that nothing in it keeps the same from being there twice.
  db.exec('CREATE TABLE IF NOT EXISTS said (report_id TEXT NOT NULL, text TEXT NOT NULL)');
  const say = db.prepare('INSERT INTO said (report_id, text) VALUES (?, ?)');
  const reporter: Reporter = {
    canSpeak: () => true,
    words: async ({ text }) => {
      onStep();
      await new Promise((resolve) => setImmediate(resolve));
      onStep();
      return `${SPOKEN}${text}`;
    },
  };
  const watches = createWatches({
    ...{ db, events, results, approvals, maskers, log, clock, reporter },
    onReport: (report) => void say.run(report.id, reportText(report)),
    call: (request) => calls.call(request),
    isReadOnly: () => false,
    limits: { ...WATCH_LIMITS, ...limits },
    channels: [webhookChannel({ http, choices: channels.choices, now: () => clock.now() })],
  });
  const calls = createCalls({
    ...{ catalog, toolModes: createToolModes(db), settings, approvals, accepted, maskers, log: callLog },
    runners: { http, shell: none, browser: none, ssh: none },
    bridge: { request: () => Promise.reject(new ForgeError('extension_missing', 'there is no browser')) },
    finish: createFinishResult({ results, files: createFileStore(path.join(root, 'files')) }),
    ownPorts: () => [],
    openFiles: () => Promise.resolve({ files: new Map(), release: () => undefined }),
    watch: watches.place,
    onTested: () => undefined,
    onRecorded: () => undefined,
  });
  const close = async (): Promise<void> => {
    await watches.stop();
    await http.close();
    await callLog.close();
    db.close();
  };
  return { db, settings, catalog, approvals, channels, watches, calls, close };
}

/** A database that says so before and after each statement that writes. */
function stepping(db: Database, onStep: () => void): Database {
  const around = <T>(work: () => T): T => {
    onStep();
    const result = work();
    onStep();
    return result;
  };
  return {
    close: () => db.close(),
    exec: (sql) => around(() => db.exec(sql)),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      return {
        get: (...parameters) => statement.get(...parameters),
        all: (...parameters) => statement.all(...parameters),
        run: (...parameters) => around(() => statement.run(...parameters)),
      };
    },
  };
}
