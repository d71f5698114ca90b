import { randomBytes } from 'node:crypto';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { WatchLimits } from '../../shared/manifest/watch-limits.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { ResultStore } from '../results/handles.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { CallScope } from '../tools/call-scope.ts';
import type { Finished } from '../tools/finish-result.ts';
import type { WatchOrigin, WatchPlace, WatchRequest } from '../tools/hooks.ts';
import { subjectOf, type Endings } from './ending.ts';
import { planOf } from './plan.ts';
import type { WatchRows } from './watch-rows.ts';
import type { Watch } from './watch.ts';

interface PlacesDeps {
  rows: WatchRows;
  events: EventBus;
  endings: Endings;
  results: Pick<ResultStore, 'get'>;
  maskers: Pick<Maskers, 'forge' | 'connector'>;
  limits: WatchLimits;
  now: () => number;
  commit: <T>(work: () => T) => T;
  /** A watch has begun, and is to be looked at when it says. */
  onBegun: (watch: Watch) => void;
}

type Started = Extract<Finished, { ok: true }>;

/** A tool that is not watched needs no place. */
const NOT_WATCHED: WatchPlace = { begin: () => null, release: () => undefined };

/** Places among the active watches, of which there are only so many. */
export function createWatchPlaces(deps: PlacesDeps) {
  const { rows, limits, results } = deps;
  let taken = 0;

  /** A watch makes room for the one that the tool at its end leaves behind. */
  const requireRoom = (parentId: string | null): void => {
    if (rows.countActive(parentId) + taken < limits.maxActive) return;
    throw new ForgeError('too_many_watches', `${limits.maxActive} watches are active, and that is the most`);
  };

  const begin = (request: WatchRequest, origin: WatchOrigin, callId: string, scope: CallScope, result: Started) => {
    const watch = newWatch(deps, { request, origin, callId, scope, result });
    deps.commit(() => {
      rows.insert(watch.row);
      deps.events.append({ type: 'watch.started', ...subjectOf(watch.row) });
      if (watch.problem !== null) deps.endings.end(watch.row, 'failed', watch.problem, null);
    });
    deps.onBegun(watch.row);
    return watch.row.id;
  };

  return {
    requireRoom: () => requireRoom(null),
    take(request: WatchRequest): WatchPlace {
      const { origin } = request;
      if (request.entry.tool.async === undefined || origin === 'none') return NOT_WATCHED;
      requireRoom(origin.parentId);
      let isTaken = true;
      taken += 1;
      const release = (): void => {
        if (isTaken) taken -= 1;
        isTaken = false;
      };
      return {
        begin: (callId, scope, finished) => {
          release();
          if (!finished.ok) return null;
          const whole = finished.handle === undefined ? finished.result : results.get(finished.handle);
          try {
            return begin(request, origin, callId, scope, { ...finished, result: whole });
          } catch (error) {
            throw notSaved(error);
          }
        },
        release,
      };
    },
  };
}

/** Whoever called must not think that nothing has happened, and call again. */
function notSaved(error: unknown): ForgeError {
  const why = isForgeError(error) ? error.message : 'something went wrong inside Forge';
  return new ForgeError('watch_not_saved', `the tool has run, but nobody watches what it has started: ${why}`, {
    cause: error,
  });
}

interface Beginning {
  request: WatchRequest;
  origin: WatchOrigin;
  callId: string;
  scope: CallScope;
  result: Started;
}

function newWatch({ limits, maskers, now }: PlacesDeps, { request, origin, callId, scope, result }: Beginning) {
  const { entry, caller, browser } = request;
  const { connector, tool } = entry;
  if (tool.async === undefined) throw new TypeError('a tool without an async block is not watched');
  const readFrom = { before: [...(origin.readFrom ?? [])], own: [request.site] };
  const base = { limits: caller.limits ?? null, browser: browser ?? null, readFrom };
  const start = { entry, block: tool.async, scope, result: result.result };
  const { plan, problem } = planOf(start, base, limits, maskers.connector(entry.package.id).masks.sent);
  const at = now();
  const deadlineAt = at + Math.min(plan.timeoutMs, plan.lifetimeMs);
  const row: Watch = {
    id: `wch_${randomBytes(8).toString('hex')}`,
    toolId: `${connector.id}.${tool.name}`,
    pollTool: `${connector.id}.${tool.async.poll}`,
    connectorId: entry.package.id,
    ...{ sessionId: origin.sessionId, parentId: origin.parentId, depth: origin.depth },
    callId,
    caller: maskers.forge.redact(caller.name),
    plan,
    state: 'polling',
    run: 1,
    startedAt: at,
    deadlineAt,
    nextAt: Math.min(at + plan.intervalMs, deadlineAt),
    ...{
      pollCount: 0,
      errorCount: 0,
      awayCount: 0,
      told: [],
      reason: null,
      progress: null,
      lastPoll: null,
      action: null,
    },
    createdAt: at,
    endedAt: null,
  };
  return { row, problem };
}
