import { isRecord, ownValue } from '../../json.ts';

export interface ShownRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface ShownStage {
  name: string;
  ms: number;
  /** Its part of the whole, from 0 to 1. */
  share: number;
}

/** The stages of a call in their order, with the part of the time each one took. */
export function stagesOf(stages: unknown): ShownStage[] {
  if (!isRecord(stages)) return [];
  const times = Object.entries(stages).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const whole = times.reduce((sum, [, ms]) => sum + ms, 0);
  return times.map(([name, ms]) => ({ name, ms, share: whole > 0 ? ms / whole : 0 }));
}

/** An http request in a trace or a dry run; null for anything else. */
export function requestIn(job: unknown): ShownRequest | null {
  const method = ownValue(job, 'method');
  const url = ownValue(job, 'url');
  const headers = ownValue(job, 'headers');
  const body = ownValue(job, 'body');
  if (typeof method !== 'string' || typeof url !== 'string') return null;
  return {
    method,
    url,
    headers: isRecord(headers)
      ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      : {},
    body: typeof body === 'string' ? body : null,
  };
}

/** The words of a command; null for anything else. */
export function argvIn(job: unknown): string[] | null {
  const argv = ownValue(job, 'argv');
  return Array.isArray(argv) ? argv.map(String) : null;
}

/** Whatever else is known, one line each; what is empty is left out. */
export function linesOf(value: unknown, leftOut: readonly string[] = []): [string, string][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, part]): [string, string][] => {
    if (leftOut.includes(name) || part === null || part === '' || (isRecord(part) && Object.keys(part).length === 0))
      return [];
    return [[name, typeof part === 'string' ? part : JSON.stringify(part, null, 2)]];
  });
}
