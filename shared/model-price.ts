/** In US dollars for a million tokens; more than that is a slip of the pen. */
export const MAX_MODEL_PRICE = 100_000;
