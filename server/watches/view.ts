import type { WatchDetail as DetailBody, WatchSummary } from '../../shared/watches-api.ts';
import type { WatchDetail } from './manage.ts';
import type { Report } from './reports.ts';
import type { Watch } from './watch.ts';

/** A watch as clients see it. */
export function summaryBody(watch: Watch): WatchSummary {
  const { plan } = watch;
  return {
    id: watch.id,
    title: plan.title,
    tool_id: watch.toolId,
    poll_tool: watch.pollTool,
    session_id: watch.sessionId,
    parent_id: watch.parentId,
    depth: watch.depth,
    call_id: watch.callId,
    caller: watch.caller,
    state: watch.state,
    reason: watch.reason,
    progress: watch.progress,
    poll_count: watch.pollCount,
    max_polls: plan.maxPolls,
    error_count: watch.errorCount,
    run: watch.run,
    interval_sec: plan.intervalMs / 1000,
    created_at: timeOf(watch.createdAt),
    deadline_at: timeOf(watch.deadlineAt),
    next_poll_at: watch.nextAt === null ? null : timeOf(watch.nextAt),
    ended_at: watch.endedAt === null ? null : timeOf(watch.endedAt),
  };
}

/** The same with its polls and its reports. */
export function detailBody({ watch, polls, reports }: WatchDetail): DetailBody {
  const { action } = watch;
  return {
    ...summaryBody(watch),
    poll_args: watch.plan.pollArgs,
    action:
      action === null
        ? null
        : { tool_id: action.toolId, args: action.args, status: action.status, approval_id: action.approvalId },
    polls: polls.map(({ at, durationMs, callId, ...poll }) => ({
      ...poll,
      at: timeOf(at),
      duration_ms: durationMs,
      call_id: callId,
    })),
    reports: reports.map((report) => ({ ...reportBody(report), state: report.state, deliveries: report.deliveries })),
  };
}

export function reportBody({ seq, id, watchId, toolId, sessionId, kind, reason, text, words, createdAt }: Report) {
  const whose = { watch_id: watchId, tool_id: toolId, session_id: sessionId };
  return { seq, id, ...whose, kind, reason, text, words, at: timeOf(createdAt) };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
