const TIME_DIGITS = 11;
const COUNT_DIGITS = 5;
const COUNTS = 16 ** COUNT_DIGITS;

/**
 * Makes names for calls that come in the order they were made: the time, and a number that grows within a millisecond from wherever
 * chance let it begin. An index that only grows at its end is written a page at a time; names by chance alone would touch them all.
 */
export function createCallIds(now: () => number = Date.now, random: () => number = Math.random): () => string {
  let time = 0;
  let count = 0;
  let prefix = { time: -1, text: '' };
  return () => {
    const current = now();
    if (current > time) {
      time = current;
      // The upper half is left to count in.
      count = Math.floor((random() * COUNTS) / 2);
    } else if (count + 1 < COUNTS) count += 1;
    else {
      // A clock that stands still, or was set back, runs on here.
      time += 1;
      count = 0;
    }
    if (prefix.time !== time) prefix = { time, text: `call_${time.toString(16).padStart(TIME_DIGITS, '0')}` };
    return prefix.text + count.toString(16).padStart(COUNT_DIGITS, '0');
  };
}

/** A name for a call before it is recorded. */
export const newCallId = createCallIds();
