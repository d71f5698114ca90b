import type { CallRow } from '../../calls-api.ts';
import { isDenied } from '../../denied-call.ts';

/** A call as Activity lists it. */
export interface ShownCall {
  call: CallRow;
  /** A person was asked about it first, and it ran afterwards. */
  wasAsked: boolean;
}

export interface DayOfCalls {
  /** The newest call of the day, which names it. */
  at: string;
  calls: ShownCall[];
}

const ASKED = 'approval_required';

/**
 * One line per call, newest first. The question and the call that ran once somebody had said yes are two entries of the log, and one call
 * for whoever reads it.
 */
export function shownCalls(calls: readonly CallRow[]): ShownCall[] {
  const asked = new Map<string, { place: number; wasDenied: boolean }>();
  const shown: ShownCall[] = [];
  // The oldest first: a question comes before what it was about.
  for (const call of calls.toReversed()) {
    const key = `${call.tool_id} ${JSON.stringify(call.args)}`;
    const question = asked.get(key);
    if (call.code === ASKED) {
      asked.set(key, { place: shown.length, wasDenied: isDenied(call) });
      shown.push({ call, wasAsked: false });
      continue;
    }
    asked.delete(key);
    // A call that ran after a no was allowed in another way, so the no keeps its own line.
    if (question === undefined || question.wasDenied !== isDenied(call)) shown.push({ call, wasAsked: false });
    // What has become of the question stands where the call ran.
    else shown[question.place] = { call, wasAsked: true };
  }
  return shown.sort((one, other) => other.call.seq - one.call.seq);
}

/** The same under a heading for each day, by the clock of whoever looks. */
export function byDay(calls: readonly ShownCall[]): DayOfCalls[] {
  const days: DayOfCalls[] = [];
  for (const each of calls) {
    const day = days.at(-1);
    if (day !== undefined && dayOf(day.at) === dayOf(each.call.at)) day.calls.push(each);
    else days.push({ at: each.call.at, calls: [each] });
  }
  return days;
}

function dayOf(iso: string): string {
  return new Date(iso).toDateString();
}
