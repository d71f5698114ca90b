import { ForgeError } from '../../shared/errors.ts';

/** Counts attempts in a sliding window. Everybody shares it: all clients are on this computer. */
export function createRateLimit(limit: number, windowMs: number, now: () => number = Date.now) {
  let attempts: number[] = [];
  return {
    /** Call before trying; throws when the window is full. */
    check(): void {
      const since = now() - windowMs;
      attempts = attempts.filter((time) => time > since);
      const [oldest] = attempts;
      if (attempts.length >= limit && oldest !== undefined) {
        const seconds = Math.ceil((oldest + windowMs - now()) / 1000);
        throw new ForgeError('rate_limited', `too many attempts; try again in ${seconds} s`, {
          details: { retry_after_sec: seconds },
        });
      }
    },
    failed(): void {
      attempts.push(now());
    },
  };
}
