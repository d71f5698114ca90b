// Everything that travels between the server and the extension, in one place; each side checks what it receives against it.
import { Check } from '@sinclair/typebox/value';
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { ApiCallParams, ApiCallResult, ApiCancelParams, ApiTextParams } from './bridge-api.ts';
import { AllowedParams, AskingParams, DecideParams } from './bridge-approvals.ts';
import { problemWith } from './shape-problem.ts';

/** Raised when an older extension or server could no longer understand the other. */
export const BRIDGE_PROTOCOL = 2;
export const BRIDGE_PATH = '/bridge';
/** The largest frame either side accepts, in bytes. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** A message this often keeps an extension's worker alive; Chromium ends one that is silent for 30 s. */
export const PING_EVERY_MS = 20_000;

/** How many running calls a browser names when it comes back. */
export const MAX_RUNNING = 200;

const Text = Type.String();
const Short = Type.String({ maxLength: 200 });
const OrNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Runner = Type.Union([Type.Literal('main'), Type.Literal('isolated')]);

const Nonce = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
/** ECDSA over P-256 with SHA-256: a public key as SPKI, a signature as its two numbers, both in base64url. */
const PublicKey = Type.String({ pattern: '^[A-Za-z0-9_-]{120,124}$' });
const Signature = Type.String({ pattern: '^[A-Za-z0-9_-]{86}$' });
const Mac = Nonce;

/** The very first frame, from the server: what a browser has to sign. */
const ChallengeParams = Type.Object({
  protocol: Type.Integer(),
  nonce: Nonce,
  /** Whether several frames may come in one message (bridge-join.ts); older ones do not say. */
  takes_joined: Type.Optional(Type.Boolean()),
});

/** The browser's first frame; bridge-proof.ts says what is signed. One that is not paired asks to be, or shows that it knows a ticket. */
const HelloParams = Type.Object({
  protocol: Type.Integer(),
  nonce: Nonce,
  public_key: PublicKey,
  signature: Signature,
  /** Whether it takes itself for paired. */
  paired: Type.Boolean(),
  ticket_proof: OrNull(Mac),
  /** Chosen by the extension once and kept; it tells one profile from another. */
  browser_id: Type.String({ pattern: '^[0-9a-f]{16,64}$' }),
  browser: Short,
  profile: Short,
  platform: Short,
  extension_version: Short,
  user_scripts: Type.Boolean(),
  paused: Type.Boolean(),
  /** The calls that still run from before the socket was lost; older extensions do not say. */
  running: Type.Optional(Type.Array(Short, { maxItems: MAX_RUNNING })),
  /** As in the challenge. */
  takes_joined: Type.Optional(Type.Boolean()),
});

/** Where no tool may run, because Forge listens there; older servers do not say. */
const OwnPorts = Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 65_535 }), { maxItems: 20 }));

/** `code` is shown by the extension and by Forge's page, so that a person can compare. */
export const HelloResult = Type.Union([
  Type.Object({
    state: Type.Literal('ready'),
    server_version: Short,
    name: Short,
    proof: Signature,
    own_ports: OwnPorts,
  }),
  Type.Object({ state: Type.Literal('pairing'), code: Short, expires_in_ms: Type.Integer() }),
]);

/** In the details of a refusal: a browser forgets its pairing only when the Forge that it is paired with says so. */
export const RefusalDetails = Type.Object({ proof: Signature });

/** Sent once a person has accepted the pairing, or at once to a browser that knew a valid ticket. The socket is then ready. */
const PairedParams = Type.Object({
  name: Short,
  server_version: Short,
  /** What this server proves itself by from now on. */
  server_key: PublicKey,
  own_ports: OwnPorts,
  proof: Signature,
  ticket_proof: OrNull(Mac),
});

const AcquireSpec = Type.Object({
  host_match: Text,
  login_redirect: OrNull(Text),
  login_selector: OrNull(Text),
  /** That element on the page means logged in; older servers do not say. */
  logged_in_selector: Type.Optional(OrNull(Text)),
  url: OrNull(Text),
  on_target: OrNull(Text),
  settle_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
  tab_strategy: Type.Union([Type.Literal('reuse'), Type.Literal('ephemeral'), Type.Literal('persistent')]),
});

/** A page with an error status that is not listed is a failure, and so is one without the element, before and after the script. */
const PageExpectations = Type.Object({
  ok_status: Type.Array(Type.Integer({ minimum: 400, maximum: 599 }), { maxItems: 200 }),
  selector: OrNull(Text),
});

/** One tool call in a tab. Everything is filled in by the server; the extension keeps nothing of it. */
const RunParams = Type.Object({
  call_id: Short,
  connector: Short,
  tool: Short,
  title: Text,
  acquire: AcquireSpec,
  runner: Runner,
  /** A match pattern of the frame to run in; null is the page itself. */
  frame: OrNull(Text),
  script: Text,
  /** JSON texts, handed on as they are. */
  args: Text,
  settings: Text,
  timeout_ms: Type.Integer({ minimum: 1, maximum: 600_000 }),
  max_result_bytes: Type.Integer({ minimum: 1 }),
  /** What the page must be for the result to count. */
  expect: Type.Optional(PageExpectations),
  /** It may run, and end, together with calls of the same tool that wait for the same page. */
  may_join: Type.Optional(Type.Boolean()),
  /** Set for a destructive tool: what a person is asked before anything runs. */
  approval: OrNull(
    Type.Object({
      reason: Text,
      timeout_ms: Type.Integer({ minimum: 1 }),
      /** A yes is for this call alone. */
      once: Type.Optional(Type.Boolean()),
      /** Where the login is checked before the person is asked; older servers do not say, and do not take `asking`. */
      look: Type.Optional(Type.Union([Type.Literal('page'), Type.Literal('site')])),
    }),
  ),
});

/** The value itself is the frame's body: JSON text that nobody on the way parses. */
const RunResult = Type.Object({
  url: Text,
  /** Milliseconds per step: approval, acquire, run. */
  timings: Type.Record(Type.String(), Type.Number()),
});

/** The document's own wire contract, in the document's own spelling. */
const ProbeParams = Type.Object({
  pluginId: Text,
  host_match: Text,
  login_redirect: Type.Optional(Text),
  runner: Runner,
  timeout_ms: Type.Integer({ minimum: 1 }),
  /** That selector on the page means logged out. */
  auth_required_selector: Type.Optional(Text),
  /** That selector on the page means logged in. */
  logged_in_selector: Type.Optional(Text),
});
const ProbeResult = Type.Union([
  Type.Object({ ok: Type.Literal(true), url: Text }),
  Type.Object({ ok: Type.Literal(false), error: Text, url: Type.Optional(Text) }),
]);

const CancelParams = Type.Object({ call_id: Short });

/** Looks at the page of a tab: its outline, what a selector finds, or what a script returns. */
export const InspectParams = Type.Object({
  host_match: Text,
  /** The page to open; without it a tab is looked at as it is. */
  url: Type.Optional(Text),
  action: Type.Union([
    Type.Object({ kind: Type.Literal('outline'), max_nodes: Type.Integer({ minimum: 1, maximum: 5000 }) }),
    Type.Object({ kind: Type.Literal('selector'), selector: Text }),
    Type.Object({ kind: Type.Literal('script'), script: Text, runner: Runner }),
  ]),
  timeout_ms: Type.Integer({ minimum: 1, maximum: 600_000 }),
});
const InspectResult = Type.Object({ url: Text });

/** Brings a tab to the front that a call has used; only ever at a person's own wish. */
const FocusParams = Type.Object({
  tab_id: Type.Integer({ minimum: 0 }),
  timeout_ms: Type.Integer({ minimum: 1, maximum: 600_000 }),
});

/** Where several browsers could take a call, each says whether it has the site open past its login page; older ones do not know the question. */
const HasTabParams = Type.Object({ host_match: Text, login_redirect: OrNull(Text) });
const HasTabResult = Type.Object({ has: Type.Boolean() });

const NotifyParams = Type.Object({
  ...{ title: Short, message: Text, url: OrNull(Text) },
  /** It is about a call that waits for the person, and over once nothing waits any more. */
  is_question: Type.Optional(Type.Boolean()),
});

/** How many calls wait for a person, wherever they answer. */
const WaitingParams = Type.Object({ count: Type.Integer({ minimum: 0 }) });

/** What changes while a browser is connected. */
const StateParams = Type.Object({ user_scripts: Type.Boolean(), paused: Type.Boolean() });

export type Challenge = Static<typeof ChallengeParams>;
export type Hello = Static<typeof HelloParams>;
export type HelloAnswer = Static<typeof HelloResult>;
export type Paired = Static<typeof PairedParams>;
export type Acquire = Static<typeof AcquireSpec>;
export type PageExpected = Static<typeof PageExpectations>;
export type Run = Static<typeof RunParams>;
export type RunAnswer = Static<typeof RunResult>;
export type Probe = Static<typeof ProbeParams>;
export type ProbeAnswer = Static<typeof ProbeResult>;
export type Inspect = Static<typeof InspectParams>;
export type Notice = Static<typeof NotifyParams>;
export type BrowserState = Static<typeof StateParams>;

/** Requests and their answers, by method. `ping` is answered with an empty object by either side. */
export const REQUESTS = {
  hello: { params: HelloParams, result: HelloResult },
  'connector.run': { params: RunParams, result: RunResult },
  'connector.probe': { params: ProbeParams, result: ProbeResult },
  'dom.inspect': { params: InspectParams, result: InspectResult },
  'tab.focus': { params: FocusParams, result: Type.Object({}) },
  'tab.has': { params: HasTabParams, result: HasTabResult },
  'api.call': { params: ApiCallParams, result: ApiCallResult },
  ping: { params: Type.Object({}), result: Type.Object({}) },
} as const;

/** Messages nobody answers. */
export const NOTIFICATIONS = {
  challenge: ChallengeParams,
  paired: PairedParams,
  'connector.cancel': CancelParams,
  'connector.decide': DecideParams,
  asking: AskingParams,
  'api.text': ApiTextParams,
  'api.cancel': ApiCancelParams,
  allowed: AllowedParams,
  notify: NotifyParams,
  waiting: WaitingParams,
  state: StateParams,
} as const;

export type RequestMethod = keyof typeof REQUESTS;
export type NotificationMethod = keyof typeof NOTIFICATIONS;
export type ParamsOf<M extends RequestMethod> = Static<(typeof REQUESTS)[M]['params']>;
export type ResultOf<M extends RequestMethod> = Static<(typeof REQUESTS)[M]['result']>;

export interface WireError {
  code: string;
  message: string;
  hint?: string;
  details?: unknown;
}

/**
 * One line of JSON, and behind its line break, where there is one, a text that travels unread: a script's result can be large,
 * and neither side has a use for its parts.
 */
export type Frame =
  | { kind: 'request'; id: number; method: RequestMethod; params: unknown }
  | { kind: 'result'; id: number; result: unknown; body: string | null }
  | { kind: 'error'; id: number; error: WireError }
  | { kind: 'notification'; method: NotificationMethod; params: unknown };

export function requestFrame<M extends RequestMethod>(id: number, method: M, params: ParamsOf<M>): string {
  return JSON.stringify({ id, method, params });
}

export function resultFrame(id: number, result: unknown, body: string | null = null): string {
  const head = JSON.stringify({ id, result });
  return body === null ? head : `${head}\n${body}`;
}

export function errorFrame(id: number, error: WireError): string {
  return JSON.stringify({ id, error });
}

export function notificationFrame<M extends NotificationMethod>(
  method: M,
  params: Static<(typeof NOTIFICATIONS)[M]>,
): string {
  return JSON.stringify({ method, params });
}

const WireErrorSchema = Type.Object({ code: Text, message: Text, hint: Type.Optional(Text) });

interface BadFrame {
  kind: 'bad';
  id: number | null;
  problem: string;
  /** Set for a hello in another version of the protocol, whatever else it says. */
  protocol?: number;
}

/** Reads a frame, or says in one sentence what is wrong with it. Params of a known method are checked; results by whoever asked. */
export function readFrame(text: string): Frame | BadFrame {
  const end = text.indexOf('\n');
  let head: unknown;
  try {
    head = JSON.parse(end === -1 ? text : text.slice(0, end));
  } catch {
    return { kind: 'bad', id: null, problem: 'the frame is not JSON' };
  }
  if (typeof head !== 'object' || head === null || Array.isArray(head))
    return { kind: 'bad', id: null, problem: 'the frame is not an object' };
  const { id, method, params, result, error } = head as Record<string, unknown>;
  const hasId = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0;
  if (id !== undefined && !hasId) return { kind: 'bad', id: null, problem: 'the id is not a whole number' };
  if (typeof method === 'string') {
    return hasId ? readRequest(id, method, params) : readNotification(method, params);
  }
  if (!hasId) return { kind: 'bad', id: null, problem: 'the frame has neither a method nor an id' };
  if (error !== undefined) {
    return Check(WireErrorSchema, error)
      ? { kind: 'error', id, error }
      : { kind: 'bad', id, problem: 'the error has no code and message' };
  }
  if (result === undefined) return { kind: 'bad', id, problem: 'the reply has neither result nor error' };
  return { kind: 'result', id, result, body: end === -1 ? null : text.slice(end + 1) };
}

type Read = ReturnType<typeof readFrame>;

function readRequest(id: number, method: string, params: unknown): Read {
  if (!Object.hasOwn(REQUESTS, method))
    return { kind: 'bad', id, problem: `there is no method ${method.slice(0, 60)}` };
  const known = method as RequestMethod; // an own key of the table
  const protocol = known === 'hello' ? otherProtocol(params) : null;
  if (protocol !== null) {
    const problem = `the extension speaks protocol ${protocol}, and this Forge speaks ${BRIDGE_PROTOCOL}`;
    return { kind: 'bad', id, problem, protocol };
  }
  const problem = problemWith(REQUESTS[known].params, params);
  return problem === null ? { kind: 'request', id, method: known, params } : { kind: 'bad', id, problem };
}

/** Every version says first which one it is. */
function otherProtocol(params: unknown): number | null {
  if (typeof params !== 'object' || params === null || !('protocol' in params)) return null;
  return typeof params.protocol === 'number' && params.protocol !== BRIDGE_PROTOCOL ? params.protocol : null;
}

function readNotification(method: string, params: unknown): Read {
  if (!Object.hasOwn(NOTIFICATIONS, method))
    return { kind: 'bad', id: null, problem: `there is no notification ${method.slice(0, 60)}` };
  const known = method as NotificationMethod; // an own key of the table
  const problem = problemWith(NOTIFICATIONS[known], params);
  return problem === null ? { kind: 'notification', method: known, params } : { kind: 'bad', id: null, problem };
}
