import { createServer, type Server } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { ForgeError } from '../../shared/errors.ts';
import { placeOf } from '../../shared/request-place.ts';
import type { Log } from '../log.ts';
import { serveConfirmations } from './confirm/serve-confirmations.ts';
import { dispatch, type UnderWay } from './dispatch.ts';
import { answerDirectly } from './direct.ts';
import { createMetrics } from './metrics.ts';
import { answerErrors, tellErrors } from './middleware/answer-errors.ts';
import { endWhenStopping } from './middleware/end-when-stopping.ts';
import { guard } from './middleware/guard.ts';
import { identify } from './middleware/identify.ts';
import { observe } from './middleware/observe.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { servePage } from './page.ts';
import type { Route } from './route.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { authRoutes } from './routes/auth.ts';
import { browserRoutes } from './routes/browsers.ts';
import { callLogRoutes } from './routes/call-log.ts';
import { callRoutes } from './routes/calls.ts';
import { chatRoutes } from './routes/chat.ts';
import { connectorRoutes } from './routes/connectors.ts';
import { eventRoutes } from './routes/events.ts';
import { demoRoutes } from './routes/demo.ts';
import { dispatchRoutes } from './routes/dispatch.ts';
import { fileRoutes } from './routes/files.ts';
import { gatewayRoutes } from './routes/gateways.ts';
import { glanceRoutes } from './routes/glance.ts';
import { iconRoutes } from './routes/icons.ts';
import { manifestRoutes } from './routes/manifests.ts';
import { marketplaceRoutes } from './routes/marketplace.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { metaRoutes } from './routes/meta.ts';
import { modeRoutes } from './routes/modes.ts';
import { modelRoutes } from './routes/models.ts';
import { previewRoutes } from './routes/previews.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { settingsRoutes } from './routes/settings.ts';
import { sshRoutes } from './routes/ssh.ts';
import { taskRoutes } from './routes/tasks.ts';
import { telegramRoutes } from './routes/telegram.ts';
import { toolRoutes } from './routes/tools.ts';
import { watchRoutes } from './routes/watches.ts';
import type { Services } from './services.ts';
import { closesUnused } from './unused-connections.ts';

export interface AppOptions {
  services: Services;
  log: Log;
  redact: (text: string) => string;
  connectorStates: () => Record<string, number>;
}

export interface App {
  server: Server;
  /** Stops the work of all requests under way; each is answered with the reason. */
  stopWork: (reason: Error) => void;
  /** Lets go of connections that nobody has asked anything on. */
  closeUnused: () => void;
  routes: Route[];
}

/** The HTTP side of Forge: what stands before every route, in order, and then the routes. */
export function createApp({ services, log, redact, connectorStates }: AppOptions): App {
  const metrics = createMetrics(services.version, connectorStates);
  const tellError = tellErrors(log, redact);
  const api = [
    ...authRoutes(services),
    ...sessionRoutes(services),
    ...marketplaceRoutes(services),
    ...modeRoutes(services),
    ...previewRoutes(services),
    ...iconRoutes(services),
    ...demoRoutes(services),
    ...manifestRoutes(services),
    ...connectorRoutes(services),
    ...glanceRoutes(services),
    ...settingsRoutes(services),
    ...toolRoutes(services),
    ...callRoutes(services, tellError),
    ...callLogRoutes(services),
    ...approvalRoutes(services),
    ...browserRoutes(services),
    ...sshRoutes(services),
    ...watchRoutes(services),
    ...chatRoutes(services),
    ...telegramRoutes(services),
    ...eventRoutes(services),
    ...fileRoutes(services),
    ...mcpRoutes(services, tellError),
    ...modelRoutes(services),
    ...dispatchRoutes(services),
    ...taskRoutes(services),
    ...gatewayRoutes(services),
  ];
  const routes = [...api, ...metaRoutes(metrics, services.version, api)];

  const app = new Koa();
  app.silent = true;
  app.use(observe(log, metrics));
  app.use(securityHeaders(services.port));
  app.use(answerErrors(tellError));
  const isStopping = () => !server.listening;
  app.use(endWhenStopping(isStopping));
  app.use(guard({ port: services.port, isPairedOrigin: (origin) => services.bridge.browsers.hasOrigin(origin) }));
  app.use(serveConfirmations(services));
  const underWay: UnderWay = new Set();
  app.use(routeRequests(routes, services, underWay));
  app.use(servePage());
  app.use((ctx) => {
    throw new ForgeError('not_found', `there is nothing at ${ctx.path.slice(0, 200)}`);
  });
  // `callback` answers everything through the middleware above; it rejects nothing.
  const handle = app.callback();
  const direct = answerDirectly({ routes, services, metrics, tellError, underWay, isStopping });
  const server = createServer(
    { requestTimeout: 60_000, headersTimeout: 15_000, keepAliveTimeout: 30_000 },
    (request, response) => {
      if (!direct(request, response)) void handle(request, response);
    },
  );
  server.on('upgrade', (request, socket, head) => services.bridge.server.upgrade(request, socket, head));
  const stopWork = (reason: Error) => {
    for (const controller of underWay) controller.abort(reason);
  };
  return { server, routes, stopWork, closeUnused: closesUnused(server) };
}

/** Token first, then 404 or 405, then the route: a stranger learns nothing about what is here. */
function routeRequests(routes: readonly Route[], services: Services, underWay: UnderWay) {
  // The exact spelling only, as everything else that looks at a path: what another spelling reaches, somebody may have forgotten to guard.
  const router = new Router({ sensitive: true, strict: true });
  // The router only finds the route and reads the parameters; running it as middleware would match every path once more.
  const byLayer = new Map(routes.map((route) => [router.register(route.path, [route.method], NOTHING), route]));
  return async (ctx: Context, next: Koa.Next): Promise<void> => {
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const { path: here, pathAndMethod } = router.match(ctx.path, method);
    if (here.length === 0 && placeOf(ctx.path) !== 'api') {
      await next();
      return;
    }
    const [layer] = pathAndMethod;
    const route = layer === undefined ? undefined : byLayer.get(layer);
    ctx.state['route'] = route?.path ?? 'unmatched';
    const access = route?.access ?? here.map((other) => byLayer.get(other)?.access).find(Boolean) ?? 'token';
    const asker = identify(ctx, access, services);
    if (here.length === 0) throw new ForgeError('not_found', `there is nothing at ${ctx.path.slice(0, 200)}`);
    if (layer === undefined || route === undefined) {
      const methods = here.map((other) => byLayer.get(other)?.method);
      ctx.set('Allow', [...new Set(methods)].join(', '));
      throw new ForgeError('method_not_allowed', `${ctx.method} is not possible here`);
    }
    const params = layer.params(ctx.path, layer.captures(ctx.path));
    await dispatch(ctx, { route, params, asker, underWay, services });
    if (method !== 'GET' && CHANGES_CONNECTORS.test(route.path)) services.mcp.lookForChanges();
  };
}

/** Routes after which MCP clients may have to list their tools again. */
const CHANGES_CONNECTORS = /^\/api\/(connectors|demo)(\/|$)/;
const NOTHING = (): void => undefined;
