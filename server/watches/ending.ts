import { isForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { WatchLimits } from '../../shared/manifest/watch-limits.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Render } from './render.ts';
import type { Reports } from './reports.ts';
import type { WatchRows } from './watch-rows.ts';
import type { Reason, Watch } from './watch.ts';

interface EndingDeps {
  rows: WatchRows;
  reports: Reports;
  events: EventBus;
  render: Render;
  limits: WatchLimits;
  now: () => number;
}

type Ended = 'done' | 'failed' | 'cancelled';

export type Endings = ReturnType<typeof createEndings>;

/** How watches end. Everything here happens inside the transaction of whoever found out. */
export function createEndings({ rows, reports, events, render, limits, now }: EndingDeps) {
  /** The state and nothing else. */
  const close = (watch: Watch, state: Ended, reason: Reason): Watch => {
    const ended = rows.change(watch, { state, reason, nextAt: null, endedAt: now() });
    events.append({ type: 'watch.ended', ...subjectOf(watch), state, reason });
    return ended;
  };

  /** With a report; how a watch has ended is told once. */
  const tell = (watch: Watch, state: 'done' | 'failed', reason: Reason, text: string): Watch => {
    reports.add(watch, state, 'end', reason, text);
    return close(watch, state, reason);
  };

  const textFor = (watch: Watch, template: string | null, outcome: 'done' | 'failed', why: Reason, poll: JsonValue) => {
    if (template !== null) return render.text(template, watch, poll);
    const { title } = watch.plan;
    return render.clean(outcome === 'done' ? `${title} is done.` : `${title} is not confirmed: ${why.message}.`);
  };

  /** The tool that the manifest chains is planned here and run by `chain.ts`, once this much is safely written down. */
  const plan = (watch: Watch, outcome: 'done' | 'failed', why: Reason, poll: JsonValue): Watch => {
    const ending = outcome === 'done' ? watch.plan.onDone : watch.plan.onFail;
    if (ending.mode !== 'tool') throw new TypeError('only an ending that chains a tool plans one');
    const toolId = `${watch.toolId.slice(0, watch.toolId.indexOf('.'))}.${ending.tool}`;
    const said = ending.message === null ? null : render.text(ending.message, watch, poll);
    const refuse = (reason: Reason): Watch =>
      tell(
        watch,
        'failed',
        reason,
        render.clean(`${said ?? `${watch.plan.title} ended`} ${toolId} was not run: ${reason.message}.`),
      );
    if (watch.depth >= limits.maxDepth) {
      const message = `${limits.maxDepth} tools have followed each other already, and that is the most`;
      return refuse({ code: 'chain_too_long', message });
    }
    try {
      const args = render.args(ending.args, watch, poll);
      const action = { toolId, args, status: 'planned' as const, approvalId: null, outcome, why, text: said };
      return rows.change(watch, { state: 'acting', reason: why, nextAt: now(), action });
    } catch (error) {
      if (!isForgeError(error)) throw error;
      return refuse({ code: error.code, message: render.clean(error.message) });
    }
  };

  return {
    close,
    tell,
    /** What was watched has ended, or a guard has; the manifest says what follows (C-131). */
    end(watch: Watch, outcome: 'done' | 'failed', why: Reason, poll: JsonValue): Watch {
      const ending = outcome === 'done' ? watch.plan.onDone : watch.plan.onFail;
      switch (ending.mode) {
        case 'none':
          return close(watch, outcome, why);
        case 'tool':
          return plan(watch, outcome, why, poll);
        case 'chat':
          return tell(watch, outcome, why, textFor(watch, ending.message, outcome, why, poll));
      }
    },
  };
}

/** What every event about a watch carries. */
export function subjectOf({ id, toolId, sessionId }: Watch) {
  return { watch_id: id, tool_id: toolId, session_id: sessionId };
}
