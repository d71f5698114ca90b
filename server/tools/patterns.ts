import { isForgeError } from '../../shared/errors.ts';
import { readPattern } from '../../shared/manifest/ssh-pattern.ts';
import type { MatchPattern } from '../auth/login-answer.ts';
import { createSideThread } from '../base/side-thread.ts';
import { matchPattern } from '../runners/match-pattern.ts';

/** What the thread is asked; it answers with the first group, or the whole match, or null. */
export interface PatternRequest {
  pattern: string;
  text: string;
}

/** In a thread nobody waits for it but the calls that have patterns, and a busy computer may let it stand for a while. */
const THREAD_MS = 1000;
/** A pattern that was cut off is not tried again for so long, since those of other connectors wait behind it. */
const PAUSE_MS = 60_000;
const MAX_PAUSED = 1000;

/** Looks for patterns of logins, which come from manifests, in what services answer: neither may hold up the other calls. */
export function createPatterns(script: URL, now: () => number = Date.now): MatchPattern {
  const thread = createSideThread<PatternRequest>({ name: 'patterns', script });
  const paused = new Map<string, { until: number; failure: Error }>();
  return async (pattern, text, signal) => {
    const known = paused.get(pattern);
    if (known !== undefined && known.until > now()) throw known.failure;
    try {
      if (thread === null) return firstMatch({ pattern, text });
      return (await thread.ask({ pattern, text }, signal)) as string | null; // as pattern-thread.ts answers
    } catch (failure) {
      if (!isForgeError(failure, 'invalid_manifest')) throw failure;
      const [oldest] = paused.keys();
      if (oldest !== undefined && paused.size >= MAX_PAUSED) paused.delete(oldest);
      paused.set(pattern, { until: now() + PAUSE_MS, failure });
      throw failure;
    }
  };
}

/** The work of the thread. */
export function matchInThread(request: PatternRequest): string | null {
  return firstMatch(request, THREAD_MS);
}

/** A pattern that takes too long is cut off. */
function firstMatch({ pattern, text }: PatternRequest, maxMs?: number): string | null {
  return matchPattern(readPattern(pattern, ''), text, maxMs)?.value ?? null;
}
