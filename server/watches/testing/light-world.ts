import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ForgeError } from '../../../shared/errors.ts';
import type { JsonValue } from '../../../shared/json.ts';
import { lintManifest } from '../../../shared/manifest/lint.ts';
import { WATCH_LIMITS, type WatchLimits } from '../../../shared/manifest/watch-limits.ts';
import { manualClock, type ManualClock } from '../../bridge/testing/manual-clock.ts';
import type { ToolEntry } from '../../connectors/catalog.ts';
import { createEventBus } from '../../events/event-bus.ts';
import { createLog } from '../../log.ts';
import { createMaskers } from '../../secrets/maskers.ts';
import { openDatabase } from '../../store/database.ts';
import { tempFolder } from '../../testing/forge.ts';
import type { CallAnswer, CallRequest } from '../../tools/call-tool.ts';
import type { WatchOrigin } from '../../tools/hooks.ts';
import type { Channel } from '../channels/channel.ts';
import { createWatches, type WatchesDeps } from '../create-watches.ts';
import type { Reporter } from '../speaker.ts';
import { jobsManifest, pass } from './watch-world.ts';

interface LightOptions {
  /** The clock of something else that takes part. */
  clock?: ManualClock;
  limits?: Partial<WatchLimits>;
  channels?: readonly Channel[];
  reporter?: Reporter;
  onReport?: WatchesDeps['onReport'];
  isReadOnly?: boolean;
  /** What a poll or a chained tool answers; an error makes it fail. */
  call?: (request: CallRequest) => JsonValue | ForgeError | Promise<JsonValue | ForgeError>;
  /** Commits need not reach the disk in a test that makes very many. */
  unhurried?: boolean;
}

/** Watches on a real database, with a stand-in for the pipeline and a clock that stands still. */
export async function lightWorld(block: string, options: LightOptions = {}) {
  const { clock = manualClock() } = options;
  const db = await openDatabase(path.join(tempFolder(), 'forge.db'));
  onTestFinished(() => db.close());
  if (options.unhurried === true) db.exec('PRAGMA synchronous = OFF');
  const events = createEventBus({ db, now: () => clock.now() });
  const maskers = createMaskers();
  const logLines: string[] = [];
  const log = createLog({ level: 'warn', redact: (text) => text, write: (line) => logLines.push(line) });
  const world = {
    ...{ clock, db, events, logLines },
    call: options.call ?? ((): JsonValue => ({ done: false })),
    calls: 0,
  };
  const deps: WatchesDeps = {
    ...{ db, events, maskers, log, clock, channels: options.channels ?? [], reporter: options.reporter ?? null },
    onReport: options.onReport,
    results: { get: () => null },
    approvals: { find: () => null },
    isReadOnly: () => options.isReadOnly === true,
    limits: { ...WATCH_LIMITS, ...options.limits },
    call: async (request) => {
      world.calls += 1;
      return answerOf(await world.call(request), world.calls);
    },
  };
  let watches = createWatches(deps);
  watches.start();
  onTestFinished(() => watches.stop());
  const entry = startTool(block);
  return Object.assign(world, {
    watches: () => watches,
    /** A call of the tool that starts something, as far as watches are concerned. */
    begin: (
      result: JsonValue = { id: 'j1' },
      args: Record<string, unknown> = {},
      origin: Partial<WatchOrigin> = {},
    ) => {
      const place = watches.place({
        ...{ entry, browser: undefined, site: 'jobs.example', caller: { kind: 'api', name: 'test' } },
        origin: { sessionId: null, parentId: null, depth: 0, ...origin },
      });
      const finished = { ok: true as const, result, json: JSON.stringify(result), text: () => '' };
      const id = place.begin('call_1', { settings: {}, args, saved: new Set() }, finished) ?? '';
      place.release();
      return id;
    },
    pass: (sec: number) => pass(clock, () => watches.settled(), sec),
    restart: async () => {
      await watches.stop();
      watches = createWatches(deps);
      watches.start();
    },
  });
}

function answerOf(given: JsonValue | ForgeError, number: number): CallAnswer {
  const base = { callId: `call_${number}`, durationMs: 1 };
  if (given instanceof ForgeError) return { kind: 'failed', ...base, error: given };
  return { kind: 'done', ...base, ok: true, result: given, json: JSON.stringify(given), text: () => '' };
}

function startTool(block: string): ToolEntry {
  const { package: pack, diagnostics } = lintManifest(jobsManifest(block), { forgeVersion: '1.0.0' });
  const connector = pack?.connectors[0];
  const tool = connector?.tools['start'];
  if (pack === null || connector === undefined || tool === undefined) throw new Error(JSON.stringify(diagnostics));
  const installed = {
    id: pack.id,
    folder: '',
    sha256: '',
    package: pack,
    diagnostics,
    installation: null,
    edited: false,
  };
  return { installed, package: pack, connector, tool };
}
