import type { Auth } from '../../../shared/manifest/schema/auth.ts';
import { expandQuery } from '../../../shared/template/expand-query.ts';
import { NO_AUTH, type Scheme } from '../plan.ts';

/** A query parameter, such as `access_token`; it is encoded where it is appended to the URL (C-61). */
export const query: Scheme<Extract<Auth, { type: 'query' }>> = (auth, scope, options) => {
  const entries = expandQuery({ [auth.name]: auth.value }, scope, options).filter(([, value]) => value !== '');
  return entries.length === 0 ? NO_AUTH : { kind: 'static', headers: {}, query: entries };
};
