import type { CallRow } from '../../calls-api.ts';

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
  const asked = new Map<string, number>();
  const shown: ShownCall[] = [];
  // The oldest first: a question comes before what it was about.
  for (const call of calls.toReversed()) {
    const key = `${call.tool_id} ${JSON.stringify(call.args)}`;
    const place = asked.get(key);
    if (call.code === ASKED) {
      asked.set(key, shown.length);
      shown.push({ call, wasAsked: false });
    } else if (place === undefined) shown.push({ call, wasAsked: false });
    else {
      asked.delete(key);
      // What has become of the question stands where the call ran.
      shown[place] = { call, wasAsked: true };
    }
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
