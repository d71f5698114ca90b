import { isRecord, ownValue } from '../../json.ts';

export interface ShownRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface ShownStage {
  name: string;
  /** What happens in it, in words. */
  label: string;
  ms: number;
  /** When it began and how long it took, as parts of the whole from 0 to 1. */
  start: number;
  share: number;
}

const STAGES: Readonly<Record<string, string>> = {
  resolve: 'Find the tool',
  arguments: 'Check arguments',
  policy: 'Policy',
  governance: 'Rules',
  files: 'Read files',
  expand: 'Fill in',
  approval: 'Approval',
  intent: 'Write to log',
  run: 'Run',
  result: 'Read result',
};

/** The stages of a call in their order; each begins where the one before has ended. */
export function stagesOf(stages: unknown): ShownStage[] {
  if (!isRecord(stages)) return [];
  const times = Object.entries(stages).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const whole = times.reduce((sum, [, ms]) => sum + ms, 0);
  let passed = 0;
  return times.map(([name, ms]) => {
    const start = whole > 0 ? passed / whole : 0;
    passed += ms;
    return { name, label: ownText(STAGES, name) ?? name, ms, start, share: whole > 0 ? ms / whole : 0 };
  });
}

function ownText(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The headers of a request or an answer, one line each; a name that came several times has several. */
export function headersIn(part: unknown): [string, string][] {
  const headers = ownValue(part, 'headers');
  if (!isRecord(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
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
