import { ForgeError } from '../../../shared/errors.ts';
import { Health, TokenAnswer } from '../../../shared/api.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { LoginAnswer, LoginCodeAnswer, LoginRequest } from '../../../shared/sessions-api.ts';
import { cookieName, PAGE_KEY_HEADER } from '../middleware/page-session.ts';
import { createRateLimit } from '../rate-limit.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { SESSION_SECONDS, type Credentials } from '../sessions/page-sessions.ts';

const LOGIN_FAILURES = 10;
const LOGIN_WINDOW_MS = 60_000;

/** Health, and who may come in. */
export function authRoutes(services: Services): Route[] {
  return [healthRoute(services), ...loginRoutes(services), ...tokenRoutes(services)];
}

function healthRoute(services: Services): Route {
  const { bridge, execution, watches, version } = services;
  return route({
    method: 'GET',
    path: '/api/health',
    summary: 'Whether Forge is up.',
    access: 'open',
    answers: { status: 200, schema: Health },
    handle: async () => {
      const problems = problemsOf(services);
      return {
        body: {
          status: problems.length === 0 ? 'ok' : 'degraded',
          problems,
          version,
          forge_command: FORGE,
          adapters: await execution.gateways.health(),
          bridge: { connected: bridge.router.connected() },
          watches: watches.activeCount(),
        } satisfies Health,
      };
    },
  });
}

/** Signing a page in and out, and new credentials for one that is signed in. */
function loginRoutes({ access, loginCodes, pageSessions, port }: Services): Route[] {
  const failures = createRateLimit(LOGIN_FAILURES, LOGIN_WINDOW_MS);
  const signedIn = ({ cookie, key }: Credentials): Reply => ({
    cookie: { name: cookieName(port()), value: cookie, maxAgeSec: SESSION_SECONDS },
    body: { page_key: key },
  });
  return [
    route({
      method: 'POST',
      path: '/api/auth/login',
      summary: 'Sign a page in with the code of a login link, or with the token.',
      access: 'open',
      fromPage: 'uses',
      body: { json: LoginRequest, limit: 4096 },
      answers: { status: 200, schema: LoginAnswer },
      handle: ({ body, header, session }) => {
        failures.check();
        const isRight = 'code' in body ? loginCodes.use(body.code.trim()) : access.accepts(body.token.trim());
        if (!isRight) {
          failures.failed();
          throw refusedLogin('code' in body);
        }
        if (session !== null) pageSessions.endIfOpen(session.id);
        return signedIn(pageSessions.begin(header('user-agent')).credentials);
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/logout',
      summary: 'Sign the page out. What it listens to ends at once.',
      access: 'open',
      fromPage: 'narrows',
      answers: { status: 204 },
      handle: ({ session }) => {
        if (session !== null) pageSessions.endIfOpen(session.id);
        return { cookie: { name: cookieName(port()), value: null, maxAgeSec: 0 } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/renew',
      summary: 'Exchange the credentials of a signed-in page for new ones, once they are a day old.',
      access: 'token',
      fromPage: 'uses',
      answers: { status: 200, schema: LoginAnswer },
      handle: ({ session, header }) => {
        const fresh = session === null ? null : pageSessions.renew(session.id, header(PAGE_KEY_HEADER));
        return fresh === null ? {} : signedIn(fresh);
      },
    }),
  ];
}

/** What only the token may do: a page that could would have the token, or a way back in that nobody has seen. */
function tokenRoutes({ access, loginCodes, pageSessions }: Services): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/codes',
      summary: 'Make a code for a login link. It is good once, for ten minutes.',
      access: 'token',
      fromPage: 'refused',
      answers: { status: 201, schema: LoginCodeAnswer },
      handle: () => {
        const { code, expiresAt } = loginCodes.make();
        return { status: 201, body: { code, expires_at: new Date(expiresAt).toISOString() } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/rotate',
      summary: 'Replace the token. Every page and client has to log in again.',
      access: 'token',
      fromPage: 'refused',
      answers: { status: 200, schema: TokenAnswer },
      handle: () => {
        const token = access.rotate();
        loginCodes.forgetAll();
        pageSessions.endAll();
        return { body: { token } };
      },
    }),
  ];
}

function refusedLogin(withCode: boolean): ForgeError {
  const hint = `Run \`${FORGE} token --link\` for a new link.`;
  return withCode
    ? new ForgeError('unauthorized', 'this login link was used already or is too old', { hint })
    : new ForgeError('unauthorized', 'the token is not right', { hint });
}

/** What keeps Forge from doing all it should. Anybody on this computer may ask, so it names no path. */
function problemsOf({ secrets, calls }: Pick<Services, 'secrets' | 'calls'>): Health['problems'] {
  const problems: Health['problems'] = [];
  if (secrets.state === 'unreadable')
    problems.push({ code: 'secrets_unreadable', message: `Secrets cannot be read. Run \`${FORGE} doctor\`.` });
  const unrecorded = calls.log.problem();
  if (unrecorded !== null) {
    const message = `Calls cannot be recorded: ${unrecorded}. Calls that may change something are refused until they can.`;
    problems.push({ code: 'call_not_recorded', message });
  }
  return problems;
}
