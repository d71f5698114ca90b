import type { LanguageModelUsage } from 'ai';
import { NO_USAGE, type NormalizedUsage } from '../adapter.ts';

/** Adds what one step has used to what was used before it. */
export function addUsage(sum: NormalizedUsage, usage: LanguageModelUsage): NormalizedUsage {
  const step: NormalizedUsage = {
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
    thinkingTokens: usage.outputTokenDetails.reasoningTokens ?? null,
    totalTokens: usage.totalTokens ?? null,
    cacheReadTokens: usage.inputTokenDetails.cacheReadTokens ?? null,
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? null,
  };
  const both = (name: keyof NormalizedUsage): number | null =>
    sum[name] === null && step[name] === null ? null : (sum[name] ?? 0) + (step[name] ?? 0);
  // Every key of NO_USAGE is a key of the outcome.
  return Object.fromEntries(
    Object.keys(NO_USAGE).map((name) => [name, both(name as keyof NormalizedUsage)]),
  ) as unknown as NormalizedUsage;
}
