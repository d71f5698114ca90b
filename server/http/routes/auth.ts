import { ForgeError } from '../../../shared/errors.ts';
import { Health, LoginRequest, TokenAnswer } from '../../../shared/api.ts';
import { cookieName } from '../access.ts';
import { createRateLimit } from '../rate-limit.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const LOGIN_FAILURES = 10;
const LOGIN_WINDOW_MS = 60_000;

/** Health, and who may come in. */
export function authRoutes({ access, bridge, execution, secrets, watches, version, port }: Services): Route[] {
  const failures = createRateLimit(LOGIN_FAILURES, LOGIN_WINDOW_MS);
  return [
    route({
      method: 'GET',
      path: '/api/health',
      summary: 'Whether Forge is up.',
      access: 'open',
      answers: { status: 200, schema: Health },
      handle: async () => ({
        body: {
          status: secrets.state === 'unreadable' ? 'degraded' : 'ok',
          version,
          adapters: await execution.gateways.health(),
          bridge: { connected: bridge.router.connected() },
          watches: watches.activeCount(),
        } satisfies Health,
      }),
    }),
    route({
      method: 'POST',
      path: '/api/auth/login',
      summary: 'Exchange the token for the page’s cookie.',
      access: 'open',
      body: { json: LoginRequest, limit: 4096 },
      answers: { status: 204 },
      handle: ({ body }) => {
        failures.check();
        if (!access.accepts(body.token.trim())) {
          failures.failed();
          throw new ForgeError('unauthorized', 'the token is not right', {
            hint: 'Open the link that `npm start` printed, or run `forge token --link`.',
          });
        }
        return { cookie: { name: cookieName(port()), value: access.session(), maxAgeSec: access.sessionSeconds } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/logout',
      summary: 'Forget the page’s cookie.',
      access: 'open',
      answers: { status: 204 },
      handle: () => ({ cookie: { name: cookieName(port()), value: null, maxAgeSec: 0 } }),
    }),
    route({
      method: 'POST',
      path: '/api/auth/rotate',
      summary: 'Replace the token. Every page and client has to log in again.',
      access: 'token',
      answers: { status: 200, schema: TokenAnswer },
      handle: () => ({ body: { token: access.rotate() } }),
    }),
  ];
}
