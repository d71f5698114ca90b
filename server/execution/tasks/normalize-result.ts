import { isRecord } from '../../../shared/json.ts';
import { NO_USAGE, type ExecutionResult, type NormalizedUsage } from '../adapter.ts';

/** Whatever an adapter hands back, as a result: adapters come from outside of Forge, too. */
export function normalizeResult(value: unknown, durationMs: number): ExecutionResult {
  if (!isRecord(value)) return failed('the runtime returned no result', durationMs);
  const { status, output, error } = value;
  if (status !== 'ok' && status !== 'error')
    return failed('the runtime returned a result without a status', durationMs);
  const result: ExecutionResult = {
    status,
    durationMs: Math.round(numberOf(value['durationMs']) ?? durationMs),
    ...textAt(value, 'errorCode'),
    ...textAt(value, 'model'),
    ...textAt(value, 'modelProvider'),
  };
  if (output !== undefined && output !== null)
    result.output = typeof output === 'string' ? output : JSON.stringify(output);
  if (status === 'error')
    result.error = typeof error === 'string' && error !== '' ? error : 'the runtime gave no reason';
  if (isRecord(value['usage'])) result.usage = usageOf(value['usage']);
  const cost = numberOf(value['costUsd']);
  return cost === null ? result : { ...result, costUsd: cost };
}

export function failed(error: string, durationMs: number, errorCode = 'runtime_failed'): ExecutionResult {
  return { status: 'error', error, errorCode, durationMs: Math.round(durationMs) };
}

function usageOf(usage: Record<string, unknown>): NormalizedUsage {
  const count = (name: keyof NormalizedUsage) => numberOf(usage[name]);
  const [inputTokens, outputTokens] = [count('inputTokens'), count('outputTokens')];
  const sum = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
  return {
    ...NO_USAGE,
    ...{ inputTokens, outputTokens, thinkingTokens: count('thinkingTokens') },
    totalTokens: count('totalTokens') ?? sum,
    cacheReadTokens: count('cacheReadTokens'),
    cacheWriteTokens: count('cacheWriteTokens'),
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function textAt(value: Record<string, unknown>, name: string): Record<string, string> {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? { [name]: text } : {};
}
