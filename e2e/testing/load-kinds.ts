/** The body of an answer to a call. */
export interface CallBody {
  ok?: boolean;
  result?: unknown;
  handle?: string;
  call_id?: string;
  error?: { code: string; message: string; hint: string; details?: Record<string, unknown> };
}

/** One way to call, and what must come of it. */
export interface LoadKind {
  name: string;
  /** How many of all calls are of this kind, in relation to the others. */
  weight: number;
  tool: string;
  args: (id: string) => Record<string, unknown>;
  /** True when the answer is the right one, and the one for this id. */
  isRight: (body: CallBody, id: string) => boolean;
  /** How often the service may have been asked for one call; empty when it is not asked at all. */
  requests: readonly number[];
}

type IsRight = LoadKind['isRight'];

const hasId: IsRight = ({ ok, result }, id) =>
  ok === true && typeof result === 'object' && result !== null && 'id' in result && result.id === id;

/** The beginning of a large result, and a handle for the rest of it. */
const isHead: IsRight = ({ ok, result, handle }, id) =>
  ok === true &&
  handle !== undefined &&
  typeof result === 'object' &&
  result !== null &&
  'head' in result &&
  String(result.head).startsWith(`{"id":"${id}",`);

const isText: IsRight = ({ ok, result }, id) => ok === true && result === id;

/** A failure of one of these codes; where the message can carry the id, it must be the right one. */
const failsWith =
  (codes: readonly string[], tells: (error: NonNullable<CallBody['error']>, id: string) => boolean = () => true) =>
  ({ ok, error }: CallBody, id: string): boolean =>
    ok === false && error !== undefined && codes.includes(error.code) && tells(error, id);

const ONCE = [1];

const viaGet = (kind: string, weight: number, isRight: IsRight, requests: readonly number[] = ONCE): LoadKind => ({
  name: kind,
  weight,
  tool: 'load.get',
  args: (id) => ({ kind, id }),
  isRight,
  requests,
});

/** Where connections break often, Forge leaves the service alone for a while; then it is not asked at all. */
const viaFlaky = (kind: string, weight: number, isRight: IsRight): LoadKind => ({
  ...viaGet(kind, weight, (body, id) => isRight(body, id) || failsWith(['circuit_open'])(body, id), [0, 1]),
  name: `flaky ${kind}`,
  tool: 'load.flaky',
});

const viaId = (tool: string, weight: number, isRight: IsRight, requests: readonly number[]): LoadKind => ({
  name: tool,
  weight,
  tool: `load.${tool}`,
  args: (id) => ({ id }),
  isRight,
  requests,
});

const messageHasId = ({ message }: { message: string }, id: string): boolean => new RegExp(`\\b${id}\\b`).test(message);

/** A result that is too large to be handed over whole. */
export const LARGE = viaGet('large', 3, isHead);

/** Answered when the service is told so. */
export const HOLD = viaId('hold', 0, hasId, ONCE);

/** Never ends by itself. */
export const STUBBORN = viaId('stubborn', 0, () => false, []);

/** What the load is made of. */
export const LOAD_KINDS: readonly LoadKind[] = [
  viaGet('ok', 24, hasId),
  viaGet('slow', 8, hasId),
  {
    name: 'post',
    weight: 8,
    tool: 'load.post',
    args: (id) => ({ id, count: 7 }),
    isRight: (body, id) => hasId(body, id) && JSON.stringify(body.result) === `{"id":"${id}","count":7}`,
    requests: ONCE,
  },
  // A bearer that is used up costs one more request.
  viaId('token', 12, hasId, [1, 2]),
  viaId('echo', 6, isText, []),
  viaId('fail', 2, failsWith(['command_failed'], messageHasId), []),
  LARGE,
  viaGet('huge', 1, failsWith(['response_too_large'])),
  viaGet('bomb', 1, failsWith(['response_too_large'])),
  viaGet(
    'broken',
    3,
    failsWith(['upstream_error'], (error, id) => error.message.includes(`no ${id} today`)),
  ),
  viaGet(
    'not-http',
    2,
    failsWith(['upstream_error'], ({ message }) => message.includes('did not answer in HTTP')),
  ),
  viaGet('not-json', 2, ({ ok, result }, id) => ok === true && result === `{"id": "${id}", "and": [then`),
  viaGet('limited', 2, hasId, [2]),
  viaGet(
    'limited-long',
    2,
    failsWith(['upstream_error'], ({ hint }) => hint.includes('120 seconds')),
  ),
  viaGet('moved', 2, hasId, [2]),
  viaGet(
    'foreign',
    2,
    failsWith(['redirect_refused'], ({ details }, id) => String(details?.['redirected_to']).endsWith(`/ok/${id}`)),
  ),
  viaFlaky('ok', 6, hasId),
  viaFlaky('midway', 2, failsWith(['upstream_closed'])),
  viaFlaky('hangup', 2, failsWith(['upstream_closed'])),
  viaFlaky('silent', 1, failsWith(['upstream_timeout'])),
  {
    name: 'wrong argument',
    weight: 1,
    tool: 'load.echo',
    args: (id) => ({ id, extra: id }),
    isRight: failsWith(['invalid_argument'], ({ message }) => message.includes('extra')),
    requests: [],
  },
];

const MIX = LOAD_KINDS.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
/** Has no divisor in common with the length of the mix, so that every kind gets its share and neighbours differ. */
const STRIDE = 37;

/** The kind of the nth call: always the same, and well mixed. */
export function kindOf(n: number): LoadKind {
  // The index is below the length.
  return MIX[(n * STRIDE) % MIX.length] as LoadKind;
}
