/** Which calls are shown; the same names as in the page's address. An empty text is no condition. */
export interface CallFilter {
  search: string;
  outcome: string;
  connector: string;
  tool: string;
  caller: string;
  /** How far back: a key of `SPANS`. */
  span: string;
}

const KEYS = ['search', 'outcome', 'connector', 'tool', 'caller', 'span'] as const;

const OUTCOMES: readonly string[] = ['ok', 'error', 'started', 'interrupted'];

export const SPANS: Readonly<Record<string, { label: string; ms: number }>> = {
  hour: { label: 'Last hour', ms: 3_600_000 },
  day: { label: 'Last 24 hours', ms: 86_400_000 },
  week: { label: 'Last 7 days', ms: 604_800_000 },
};

/** What an address asks for. */
export function readFilter(query: URLSearchParams): CallFilter {
  const [search, outcome, connector, tool, caller, span] = KEYS.map((key) => query.get(key) ?? '');
  return {
    search: search ?? '',
    outcome: OUTCOMES.includes(outcome ?? '') ? (outcome ?? '') : '',
    connector: connector ?? '',
    tool: tool ?? '',
    caller: caller ?? '',
    span: span !== undefined && Object.hasOwn(SPANS, span) ? span : '',
  };
}

/** The address of a filter: only what is asked for. */
export function filterQuery(filter: CallFilter): Record<string, string> {
  return Object.fromEntries(KEYS.map((key) => [key, filter[key]] as const).filter(([, text]) => text !== ''));
}

export function isFiltered(filter: CallFilter): boolean {
  return Object.keys(filterQuery(filter)).length > 0;
}

/** The same for the server, which wants a moment instead of a span. */
export function apiQuery(filter: CallFilter, now: number): URLSearchParams {
  const { span, ...rest } = filterQuery(filter);
  const ms = span === undefined ? undefined : SPANS[span]?.ms;
  return new URLSearchParams({ ...rest, ...(ms === undefined ? {} : { since: new Date(now - ms).toISOString() }) });
}
