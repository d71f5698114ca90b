import type { Auth } from '../../../shared/manifest/schema/auth.ts';
import { expandHeaders } from '../../../shared/template/expand-header.ts';
import { NO_AUTH, type Scheme } from '../plan.ts';

/** A header of any name, such as `PRIVATE-TOKEN` (C-60). */
export const header: Scheme<Extract<Auth, { type: 'header' }>> = (auth, scope, options) => {
  const headers = expandHeaders({ [auth.name]: auth.value }, scope, options);
  const isBlank = (headers[auth.name] ?? '').trim() === '';
  return isBlank ? NO_AUTH : { kind: 'static', headers, query: [] };
};
