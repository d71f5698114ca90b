import { ERRORS } from '../../shared/error-table.ts';
import { type ErrorCode } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { WatchLimits } from '../../shared/manifest/watch-limits.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { ToolAnswer } from './ask-tool.ts';
import { awayOf, type Away } from './away.ts';
import { subjectOf, type Endings } from './ending.ts';
import { judge } from './judge.ts';
import { keepable, type PollOutcome, type PollRows } from './poll-rows.ts';
import type { Render } from './render.ts';
import type { Reports } from './reports.ts';
import type { WatchRows } from './watch-rows.ts';
import type { Reason, Watch } from './watch.ts';

interface SettleDeps {
  rows: WatchRows;
  polls: PollRows;
  reports: Reports;
  events: EventBus;
  endings: Endings;
  render: Render;
  limits: WatchLimits;
  now: () => number;
}

/** A poll that was due at a time, and what came of it. */
export interface Polled {
  dueAt: number;
  answer: ToolAnswer;
}

/** What becomes of a watch after a poll, in one transaction with the row of that poll. */
export function createSettlePoll({ rows, polls, reports, events, endings, render, limits, now }: SettleDeps) {
  const note = (watch: Watch, answer: ToolAnswer, outcome: PollOutcome): void => {
    const isAnswered = answer.kind === 'answered';
    polls.add(watch.id, {
      run: watch.run,
      at: now(),
      outcome,
      code: isAnswered ? null : codeOf(answer),
      message: isAnswered ? null : answer.message,
      result: isAnswered ? JSON.stringify(answer.shown) : null,
      durationMs: answer.kind === 'approval' ? 0 : answer.durationMs,
      callId: answer.callId,
    });
  };

  /** Ends a watch that has come to one of its guards, or lets it go on. */
  const goOn = (watch: Watch, dueAt: number, poll: JsonValue): Watch => {
    const guard = guardOf(watch, limits, now());
    if (guard !== null) return endings.end(watch, 'failed', guard, poll);
    const { intervalMs } = watch.plan;
    const next = dueAt + intervalMs > now() ? dueAt + intervalMs : now() + intervalMs;
    return rows.change(watch, { nextAt: Math.min(next, watch.deadlineAt) });
  };

  const resumed = (watch: Watch): Watch => {
    if (watch.state !== 'parked') return watch;
    events.append({ type: 'watch.resumed', ...subjectOf(watch) });
    return rows.change(watch, { state: 'polling', reason: null, awayCount: 0, told: [] });
  };

  const answered = (before: Watch, { dueAt, answer }: Polled & { answer: Answered }): Watch => {
    const verdict = judge(answer.result, before.plan);
    note(before, answer, verdict);
    const watch = rows.change(resumed(before), {
      ...{ pollCount: before.pollCount + 1, errorCount: 0, awayCount: 0, lastPoll: keepable(answer.shown) },
    });
    if (verdict === 'done') return endings.end(watch, 'done', DONE, answer.result);
    if (verdict === 'failed') return endings.end(watch, 'failed', FAILED, answer.result);
    const text = watch.plan.progress === null ? null : render.text(watch.plan.progress, watch, answer.result);
    const { pollCount: poll_count, plan } = watch;
    events.append({ type: 'watch.progress', ...subjectOf(watch), poll_count, max_polls: plan.maxPolls, text });
    return goOn(rows.change(watch, { progress: text }), dueAt, answer.result);
  };

  /** The person hears of it once, and again only of something else, or when it was back in between. */
  const parked = (before: Watch, { dueAt, answer }: Polled & { answer: Unanswered }, away: Away): Watch => {
    note(before, answer, 'away');
    const reason: Reason = { code: codeOf(answer), message: answer.message };
    const isNews = before.state !== 'parked' || before.reason?.code !== reason.code;
    if (isNews) events.append({ type: 'watch.parked', ...subjectOf(before), reason });
    const awayCount = before.awayCount + 1;
    const isTold = awayCount >= away.tellAfter && !before.told.includes(away.what);
    const watch = rows.change(before, {
      state: 'parked',
      reason,
      awayCount,
      pollCount: before.pollCount + Number(away.wasAsked),
      ...(isTold ? { told: [...before.told, away.what] } : {}),
    });
    const next = goOn(watch, dueAt, before.lastPoll);
    if (isTold && next.state === 'parked')
      reports.add(
        watch,
        'parked',
        `parked ${away.what} ${before.pollCount}`,
        reason,
        render.clean(parkedText(watch, answer, away)),
      );
    return next;
  };

  const failed = (before: Watch, { dueAt, answer }: Polled & { answer: Unanswered }): Watch => {
    note(before, answer, 'error');
    const watch = rows.change(resumed(before), {
      ...{ pollCount: before.pollCount + 1, errorCount: before.errorCount + 1, awayCount: 0 },
    });
    if (watch.errorCount < limits.maxErrors) return goOn(watch, dueAt, before.lastPoll);
    const message = `${watch.errorCount} polls in a row have failed, the last one with ${codeOf(answer)}: ${answer.message}`;
    return endings.end(watch, 'failed', { code: 'errors', message: render.clean(message) }, before.lastPoll);
  };

  return (watch: Watch, { dueAt, answer }: Polled): Watch => {
    if (answer.kind === 'answered') return answered(watch, { dueAt, answer });
    const away = awayOf(codeOf(answer), answer.kind === 'failed' ? answer.status : null);
    return away === null ? failed(watch, { dueAt, answer }) : parked(watch, { dueAt, answer }, away);
  };
}

type Answered = Extract<ToolAnswer, { kind: 'answered' }>;
type Unanswered = Exclude<ToolAnswer, Answered>;

const DONE: Reason = { code: 'done', message: 'the poll says that it is done' };
const FAILED: Reason = { code: 'failed', message: 'the poll says that it has failed' };

function guardOf(watch: Watch, limits: WatchLimits, now: number): Reason | null {
  const { plan, pollCount, startedAt, deadlineAt, reason } = watch;
  const last = watch.state === 'parked' && reason !== null ? `; the last one: ${reason.message}` : '';
  if (pollCount >= plan.maxPolls)
    return { code: 'max_polls', message: `it was not done after ${pollCount} polls${last}` };
  if (now < deadlineAt) return null;
  if (now - startedAt >= plan.timeoutMs)
    return { code: 'timeout', message: `it was not done after ${plan.timeoutMs / 1000} seconds${last}` };
  return { code: 'lifetime', message: `no watch lives longer than ${limits.maxLifetimeSec} seconds${last}` };
}

function codeOf(answer: Unanswered): string {
  return answer.kind === 'approval' ? 'approval_required' : answer.code;
}

function parkedText({ plan, deadlineAt }: Watch, answer: Unanswered, { hint }: Away): string {
  const code = codeOf(answer);
  const next =
    answer.kind === 'approval'
      ? `Approve it on the page or with \`${FORGE} approvals approve ${answer.approvalId}\`.`
      : (hint ?? hintOf(code));
  const until = new Date(deadlineAt).toISOString().slice(0, 16).replace('T', ' ');
  return `${plan.title} waits: ${answer.message}. ${next} It goes on by itself then, until ${until} UTC.`;
}

function hintOf(code: string): string {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].hint : ''; // an own key of the table
}
