import { FORGE } from '../../shared/forge-command.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { askTool, type ToolAnswer } from './ask-tool.ts';
import type { Endings } from './ending.ts';
import { othersForAction, sitesBehind } from './read-from.ts';
import type { Render } from './render.ts';
import type { Reports } from './reports.ts';
import type { WatchRows } from './watch-rows.ts';
import type { Action, Watch } from './watch.ts';

type Asker = Parameters<typeof askTool>[0];

interface Begun {
  watch: Watch;
  action: Action;
}

interface Acted {
  answer: ToolAnswer;
  /** Forge stopped meanwhile, so a failure does not say what the tool has done. */
  isStopping: boolean;
}

export interface ChainDeps {
  rows: WatchRows;
  reports: Reports;
  endings: Endings;
  render: Render;
  ask: Asker;
  approvals: Pick<Approvals, 'find'>;
  /** Whether a tool is certain to change nothing, so that running it twice does no harm. */
  isReadOnly: (toolId: string) => boolean;
  /** Runs work in one transaction. */
  commit: <T>(work: () => T) => T;
  now: () => number;
}

/** How often it is looked whether a person has said yes. */
const LOOK_EVERY_MS = 30_000;

/** The tool that the end of a watch runs: at most once, unless it only reads. */
export function createChain({ rows, reports, endings, render, ask, approvals, isReadOnly, commit, now }: ChainDeps) {
  /** Answers that could not be written down yet: asking once more would run the tool twice. */
  const unsettled = new Map<string, Acted>();
  const isPending = (approvalId: string): boolean => approvals.find(approvalId)?.status === 'pending';

  /** The intent is on disk before anything runs. Null when somebody else has ended the watch, or nobody has said yes yet. */
  const begin = (id: string): Begun | null =>
    commit(() => {
      const watch = rows.get(id);
      if (watch?.state !== 'acting' || watch.action === null || watch.action.status === 'running') return null;
      const { approvalId } = watch.action;
      if (approvalId !== null && isPending(approvalId)) {
        rows.change(watch, { nextAt: now() + LOOK_EVERY_MS });
        return null;
      }
      const action: Action = { ...watch.action, status: 'running' };
      return { watch: rows.change(watch, { action, nextAt: null }), action };
    });

  const finished = (watch: Watch, action: Action): Watch => {
    const ended = rows.change(watch, { action: { ...action, status: 'ended' } });
    if (action.text === null) return endings.close(ended, action.outcome, action.why);
    return endings.tell(ended, action.outcome, action.why, action.text);
  };

  const unfinished = (watch: Watch, action: Action, code: string, message: string): Watch => {
    const ended = rows.change(watch, { action: { ...action, status: 'ended' } });
    const before = action.text ?? `${watch.plan.title} ${action.outcome === 'done' ? 'is done' : 'has failed'}.`;
    return endings.tell(
      ended,
      'failed',
      { code, message: render.clean(message) },
      render.clean(`${before} But ${message}.`),
    );
  };

  const unknown = (watch: Watch, action: Action): Watch =>
    unfinished(
      watch,
      action,
      'unknown',
      `Forge stopped while ${action.toolId} ran, so whether it has taken effect is unknown, check`,
    );

  /** The person hears of it once; the answer to an approval is looked for from time to time. */
  const waits = (watch: Watch, action: Action, answer: Extract<ToolAnswer, { kind: 'approval' }>): Watch => {
    const { approvalId } = answer;
    const text = `${action.text ?? `${watch.plan.title} ended.`} ${action.toolId} waits for your approval: ${answer.message} Approve it on the page or with \`${FORGE} approvals approve ${approvalId}\`.`;
    const reason = { code: 'approval_required', message: render.clean(answer.message) };
    reports.add(watch, 'parked', 'parked approval', reason, render.clean(text));
    return rows.change(watch, { action: { ...action, status: 'waiting', approvalId }, nextAt: now() + LOOK_EVERY_MS });
  };

  const settle = (id: string, { answer, isStopping }: Acted): void => {
    const watch = rows.get(id);
    if (watch?.state !== 'acting' || watch.action?.status !== 'running') return;
    const { action } = watch;
    if (answer.kind === 'answered') finished(watch, action);
    else if (answer.kind === 'approval') waits(watch, action, answer);
    else if (isStopping) unknown(watch, action);
    else unfinished(watch, action, answer.code, `${action.toolId} failed: ${answer.message}`);
  };

  const act = async (id: string, signal: AbortSignal): Promise<Acted | null> => {
    const begun = begin(id);
    if (begun === null) return null;
    const answer = await askTool(ask, begun.watch, questionOf(begun, signal));
    return { answer, isStopping: signal.aborted };
  };

  return {
    /** Throws when what came of it could not be written down; the next run does that, and nothing else. */
    async run(id: string, signal: AbortSignal): Promise<void> {
      const kept = unsettled.get(id) ?? (await act(id, signal));
      if (kept === null) return;
      unsettled.set(id, kept);
      commit(() => settle(id, kept));
      unsettled.delete(id);
    },
    /** After a crash: an intent without an outcome. A watch that the tool has left behind proves that it ran. */
    recover(watch: Watch): void {
      const { action } = watch;
      if (watch.state !== 'acting' || action?.status !== 'running') return;
      if (rows.hasChild(watch.id, watch.startedAt)) finished(watch, action);
      else if (isReadOnly(action.toolId))
        rows.change(watch, { action: { ...action, status: 'planned' }, nextAt: now() });
      else unknown(watch, action);
    },
  };
}

/** Whatever watch the tool leaves behind is the next link of the chain. */
function questionOf({ watch, action }: Begun, signal: AbortSignal): Parameters<typeof askTool>[2] {
  const { toolId, args, approvalId } = action;
  const { sessionId, id: parentId, depth } = watch;
  return {
    toolId,
    args,
    approvalId: approvalId ?? undefined,
    signal,
    watch: { sessionId, parentId, depth: depth + 1, readFrom: sitesBehind(watch.plan) },
    otherSites: othersForAction(watch.plan),
  };
}
