import type { Auth } from '../../shared/manifest/schema/auth.ts';
import type { Scope } from '../../shared/template/scope.ts';
import type { AuthPlan, PlanOptions, Scheme } from './plan.ts';
import { basic } from './schemes/basic.ts';
import { bearerTokenExchange } from './schemes/bearer-token-exchange.ts';
import { bearer } from './schemes/bearer.ts';
import { header } from './schemes/header.ts';
import { none } from './schemes/none.ts';
import { query } from './schemes/query.ts';
import { session } from './schemes/session.ts';

export type { AuthPlan } from './plan.ts';

type Schemes = { readonly [K in Auth['type']]: Scheme<Extract<Auth, { type: K }>> };

/** Every kind of auth; a new one is a file and a line here. */
const SCHEMES: Schemes = {
  basic,
  bearer,
  header,
  query,
  none,
  'bearer-token-exchange': bearerTokenExchange,
  session,
};

/** Works out what a request must carry, from the auth block of its tool or connector. */
export function planAuth(auth: Auth, scope: Scope, options: PlanOptions): AuthPlan {
  // The registry's type ties each scheme to its own block; TypeScript cannot follow that through a lookup.
  const scheme = SCHEMES[auth.type] as Scheme<Auth>;
  return scheme(auth, scope, options);
}
