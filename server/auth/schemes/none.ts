import type { Auth } from '../../../shared/manifest/schema/auth.ts';
import { NO_AUTH, type Scheme } from '../plan.ts';

/** A public endpoint; also how a tool opts out of its connector's auth (C-62). */
export const none: Scheme<Extract<Auth, { type: 'none' }>> = () => NO_AUTH;
