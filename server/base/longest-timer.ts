/** Node fires a longer timer at once. A clock that was set back makes any moment seem that far away. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
