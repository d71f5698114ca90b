import type { Auth } from '../../../shared/manifest/schema/auth.ts';
import { expandHeader } from '../../../shared/template/expand-header.ts';
import { NO_AUTH, type Scheme } from '../plan.ts';

/** `Authorization: Bearer <token>` (C-59). */
export const bearer: Scheme<Extract<Auth, { type: 'bearer' }>> = (auth, scope, options) => {
  const token = expandHeader(auth.token, scope, options);
  if (token === null || token.trim() === '') return NO_AUTH;
  return { kind: 'static', headers: { Authorization: `Bearer ${token}` }, query: [] };
};
