import { parseTemplate, tokensIn } from '../../template/parse.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, type Rule, type RuleContext } from '../rule.ts';
import type { Auth } from '../schema/auth.ts';
import type { Capture, SessionAuth } from '../schema/session.ts';
import { patternProblem } from '../ssh-pattern.ts';
import { templatePlaces } from '../template-places.ts';
import { authViews } from './auth.ts';
import { checkRequest } from './requests.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const RULE = 'session';

/** Logins that could never work, or whose token would have no place in a request. */
export const session: Rule = function* (context) {
  for (const { auth, path } of authViews(context)) {
    if (auth?.type === 'session') yield* checkSession(auth, path, context);
  }
  yield* checkCapturedTokens(context);
  for (const { tool, path, part } of context.tools) {
    if (tool.protocol !== 'http') continue;
    const auth: Auth | undefined = tool.auth ?? part.part.auth ?? context.manifest.auth;
    const { method = 'GET', body } = tool.request;
    if (auth?.type !== 'session' || auth.csrf?.form === undefined || READS.has(method)) continue;
    if (body !== undefined)
      yield failure(RULE, [...path, 'request', 'body'], '`csrf` adds a form field, and this request has no form', {
        hint: 'Write body_form, or csrf with header or query.',
      });
  }
};

function* checkSession(auth: SessionAuth, path: readonly string[], context: RuleContext): Iterable<Finding> {
  for (const [index, { request, capture = {} }] of auth.login.entries()) {
    const at = [...path, 'login', String(index)];
    yield* checkRequest(request, [...at, 'request'], context);
    for (const [name, one] of Object.entries(capture)) yield* checkCapture(one, [...at, 'capture', name]);
  }
  const { csrf, expired_match: expired } = auth;
  if (csrf !== undefined) yield* checkCsrf(auth, csrf, [...path, 'csrf'], context);
  if (expired === undefined) return;
  const at = [...path, 'expired_match'];
  const ways = [expired.path, expired.regex, expired.redirect].filter((way) => way !== undefined);
  if (ways.length !== 1 || (expired.path === undefined) !== (expired.equals === undefined))
    yield failure(RULE, at, '`expired_match` needs `path` with `equals`, or `regex`, or `redirect`');
  yield* checkPattern(expired.regex, [...at, 'regex']);
}

function* checkCapture({ path, header, cookie, regex }: Capture, at: readonly string[]): Iterable<Finding> {
  const sources = [path, header, cookie].filter((source) => source !== undefined);
  if (sources.length > 1 || (sources.length === 0 && regex === undefined))
    yield failure(
      RULE,
      at,
      'a capture needs one of `path`, `header` and `cookie`, or `regex` alone for the whole body',
    );
  yield* checkPattern(regex, [...at, 'regex']);
}

function* checkPattern(regex: string | undefined, at: readonly string[]): Iterable<Finding> {
  const problem = regex === undefined ? null : patternProblem(regex);
  if (problem !== null) yield failure(RULE, at, `the pattern cannot be used: ${problem}`);
}

function* checkCsrf(
  auth: SessionAuth,
  csrf: NonNullable<SessionAuth['csrf']>,
  at: readonly string[],
  context: RuleContext,
): Iterable<Finding> {
  if ([csrf.header, csrf.form, csrf.query].filter((place) => place !== undefined).length !== 1)
    yield failure(RULE, at, '`csrf` needs one of `header`, `form` and `query`');
  if ((csrf.from === undefined) === (csrf.request === undefined))
    yield failure(RULE, at, '`csrf` needs `from`, or `request` with `capture`');
  if (csrf.header !== undefined && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(csrf.header))
    yield failure(RULE, [...at, 'header'], 'this is not a valid header name');
  const names = auth.login.flatMap(({ capture = {} }) => Object.keys(capture));
  if (csrf.from !== undefined && !names.includes(csrf.from))
    yield failure(RULE, [...at, 'from'], `no login step captures \`${csrf.from}\``);
  if (csrf.request === undefined) return;
  yield* checkRequest(csrf.request, [...at, 'request'], context);
  if (csrf.capture === undefined) yield failure(RULE, at, '`csrf.request` needs `capture`');
  else yield* checkCapture(csrf.capture, [...at, 'capture']);
}

/** `{captured.x}` is known in the steps behind the one that captures it, and arguments are known in none. */
function* checkCapturedTokens(context: RuleContext): Iterable<Finding> {
  const views = authViews(context).flatMap(({ auth, path }) => (auth?.type === 'session' ? [{ auth, path }] : []));
  for (const place of templatePlaces(context)) {
    // What a script calls so is its own.
    if (place.audience === 'script') continue;
    const view = views.find(({ path }) => path.every((step, index) => place.path[index] === step));
    if (view === undefined && !place.text.includes('{captured.')) continue;
    const [area, index] = view === undefined ? [] : place.path.slice(view.path.length);
    const before = area === 'login' ? Number(index) : Number.POSITIVE_INFINITY;
    const known = new Set(view?.auth.login.slice(0, before).flatMap(({ capture = {} }) => Object.keys(capture)));
    for (const { root, path, source } of tokensIn(parseTemplate(place.text, NO_NAMES))) {
      if (root === 'args' && view !== undefined)
        yield failure(RULE, place.path, `\`${source}\` cannot be used in a login: one session serves every call`);
      if (root !== 'captured' || known.has(path[0] ?? '')) continue;
      yield failure(
        RULE,
        place.path,
        `\`${source}\` is not captured ${view === undefined ? 'here' : 'by an earlier step'}`,
        {
          hint: 'Captured values are known in the login steps that follow; csrf adds one to a request.',
        },
      );
    }
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();
