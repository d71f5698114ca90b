import type { Finding } from '../diagnostic.ts';
import { unitIn } from '../expiry-unit.ts';
import { failure, warning, type Rule, type RuleContext } from '../rule.ts';
import type { Auth } from '../schema/auth.ts';

/** Every auth block of a manifest, with where it stands. */
export function authViews({
  manifest,
  parts,
  tools,
}: RuleContext): { auth: Auth | undefined; path: readonly string[] }[] {
  return [
    { auth: manifest.auth, path: ['auth'] },
    ...parts
      .filter(({ path }) => path.length > 0)
      .map(({ part, path }) => ({ auth: part.auth, path: [...path, 'auth'] })),
    ...parts.map(({ part, path }) => ({
      auth: part.test !== undefined && 'auth' in part.test ? part.test.auth : undefined,
      path: [...path, 'test', 'auth'],
    })),
    ...tools.map(({ tool, path }) => ({
      auth: tool.protocol === 'http' ? tool.auth : undefined,
      path: [...path, 'auth'],
    })),
  ];
}

/** A token exchange takes its credential from one place. */
export const auth: Rule = function* (context) {
  for (const view of authViews(context)) {
    if (view.auth?.type === 'bearer-token-exchange') yield* checkExchange(view.auth, view.path);
  }
};

function* checkExchange(
  exchange: Extract<Auth, { type: 'bearer-token-exchange' }>,
  path: readonly string[],
): Iterable<Finding> {
  const hasToken = exchange.api_token !== undefined;
  const hasBody = exchange.exchange_body !== undefined;
  if (hasToken === hasBody) {
    yield failure(
      'exchange',
      path,
      `a token exchange needs ${hasToken ? 'only one' : 'one'} of \`api_token\` and \`exchange_body\``,
      {
        hint: 'Take api_token, sent in a header, where the service lets people make API tokens; exchange_body, sent as JSON, where there is only a login with a password.',
      },
    );
  }
  if (hasBody && exchange.exchange_auth_header !== undefined) {
    yield warning(
      'exchange',
      [...path, 'exchange_auth_header'],
      '`exchange_auth_header` is ignored when `exchange_body` is set',
    );
  }
  const { expires_path: expires, expires_unit: unit } = exchange;
  if (expires !== undefined && unit === undefined && !expires.includes('{') && unitIn(expires) === null) {
    yield warning(
      'exchange',
      [...path, 'expires_path'],
      `\`${expires}\` does not say in which unit it is, so a number there is not used`,
      { hint: 'Add expires_unit: s, ms or iso.' },
    );
  }
  if (unit !== undefined && expires === undefined)
    yield warning(
      'exchange',
      [...path, 'expires_unit'],
      '`expires_unit` without `expires_path` is about expiresInMilliseconds',
    );
  if (exchange.exchange_method === 'GET' && hasBody) {
    yield warning('exchange', [...path, 'exchange_method'], 'a GET exchange with a body; most servers ignore it');
  }
}
