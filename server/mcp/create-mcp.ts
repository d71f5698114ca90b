import { ForgeError } from '../../shared/errors.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { DecisionWaits } from '../approvals/decision-waits.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';
import type { FileStore } from '../results/files.ts';
import type { ResultStore } from '../results/handles.ts';
import type { Settings } from '../settings/settings.ts';
import type { Database } from '../store/sqlite.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import type { KnownSitesStore } from '../tools/known-sites.ts';
import { createBuiltinTools } from './builtin-tools.ts';
import { createCallConnectorTool } from './call-tool.ts';
import { watchCatalogue } from './catalogue-watch.ts';
import { createClientSites } from './client-sites.ts';
import { createClientWork } from './client-work.ts';
import { createMcpClients, type ClientLimits, type McpClient, type McpClients } from './clients.ts';
import type { Launch } from './launch.ts';
import type { InspectDeps } from './inspect-tool.ts';
import type { McpWatches } from './limited-reading.ts';
import { createMethods } from './methods.ts';
import type { McpReply, McpRequest, Tell } from './reply.ts';
import { createResources, readmeUri, watchUri } from './resources.ts';
import { createSessionEndpoint } from './sessions/endpoint.ts';
import { createSessionStore } from './sessions/session-store.ts';
import { createStatelessEndpoint, isStateless } from './stateless/endpoint.ts';
import { createTasks } from './stateless/tasks.ts';
import { createToolViews } from '../tools/catalogue/tool-views.ts';

export interface McpDeps extends InspectDeps {
  db: Database;
  knownSites: KnownSitesStore;
  catalog: Catalog;
  toolModes: ToolModes;
  settings: Pick<Settings, 'instanceNames'>;
  call: (request: CallRequest) => Promise<CallAnswer>;
  approvals: Approvals;
  waits: DecisionWaits;
  /** The longest time a call is held until a person has decided. */
  holdMs: number;
  results: ResultStore;
  files: FileStore;
  watches: McpWatches;
  maxTools: number;
  forgeVersion: string;
  /** Where a person finds Forge's page. */
  address: () => string;
  /** How a client of this name starts Forge. */
  launch: (client: string) => Launch;
  /** Told when the time a client was last used could not be written. */
  report: (failure: unknown) => void;
}

/** What answers at /mcp. */
interface McpEndpoint {
  post(request: McpRequest): McpReply | Promise<McpReply>;
  get(request: McpRequest): McpReply;
  delete(request: McpRequest): McpReply;
}

export interface Mcp {
  clients: McpClients;
  /** How a client of this name starts Forge. */
  launch: (client: string) => Launch;
  /** Gives a client other limits, and tells it to list its tools again. */
  limit: (idOrName: string, limits: ClientLimits) => McpClient;
  /** Takes a client back: its token, and what it has under way. */
  revoke: (idOrName: string) => void;
  /** The endpoint; `tell` says what went wrong to whoever asked. */
  serve(tell: Tell): McpEndpoint;
  /** Looks at once whether clients have to be told of a change, instead of in a moment. */
  lookForChanges: () => void;
  /** Streams wait for nothing, so they end when Forge stops. */
  endStreams(): void;
}

/** The protocol on top of the pipeline: what it offers, and both ways to speak it. */
export function createMcp(deps: McpDeps): Mcp {
  const { db, call, approvals, waits, holdMs, results, files, watches, forgeVersion, address } = deps;
  const { catalog, toolModes, settings, inspectPage, hasBrowser } = deps;
  const sources = { catalog, toolModes, settings };
  const clients = createMcpClients({ db, report: deps.report });
  const sessions = createSessionStore();
  const sites = createClientSites(deps.knownSites);
  const work = createClientWork();
  const views = createToolViews(sources, deps.maxTools);
  const callConnectorTool = createCallConnectorTool({ call, approvals, waits, holdMs, files, views, address });
  const builtinTools = createBuiltinTools({
    views,
    results,
    catalog,
    watches,
    callConnectorTool,
    inspectPage,
    hasBrowser,
  });
  const resources = createResources({ catalog, results, files, watches });
  const methods = createMethods({ views, resources, builtinTools, callConnectorTool, hasBrowser });
  const closing: (() => Promise<void>)[] = [];
  let look: () => void = () => undefined;
  let tellStateless: () => void = () => undefined;

  return {
    clients,
    launch: deps.launch,
    limit: (idOrName, limits) => {
      const client = clients.change(idOrName, limits);
      for (const session of sessions.of(client.id)) session.catalogueChanged([]);
      tellStateless();
      return client;
    },
    revoke: (idOrName) => {
      const { id } = clients.remove(idOrName);
      const reason = new ForgeError('cancelled', 'this client was revoked');
      sessions.endOf(id, reason);
      work.stopOf(id, reason);
    },
    serve(tell) {
      const watch = watchCatalogue(sources, (ids) => {
        const uris = ids.map(readmeUri);
        for (const session of sessions.all()) session.catalogueChanged(uris);
        stateless.catalogueChanged(uris).catch(tell);
      });
      const tasks = createTasks({ catalog, watches, approvals });
      const shared = { methods, sites, views, forgeVersion, tell, onListening: () => watch.begin() };
      const stateless = createStatelessEndpoint({ ...shared, tasks });
      const sessionful = createSessionEndpoint({ ...shared, sessions });
      const stopTelling = watches.onChange((id) => {
        for (const session of sessions.all()) session.resourceUpdated(watchUri(id));
        stateless.resourceUpdated(watchUri(id)).catch(tell);
      });
      closing.push(() => {
        stopTelling();
        return stateless.close();
      });
      look = watch.check;
      // Nobody knows there whose stream is whose, so all of them list again.
      tellStateless = () => void stateless.catalogueChanged([]).catch(tell);
      const post = (request: McpRequest): McpReply | Promise<McpReply> =>
        isStateless(request.body, request.header('mcp-protocol-version'))
          ? stateless.post(request)
          : sessionful.post(request);
      return {
        ...sessionful,
        post: (request) => {
          const { clientId } = request.identity;
          return clientId === null ? post(request) : work.follow(clientId, request, post);
        },
      };
    },
    lookForChanges: () => look(),
    endStreams: () => {
      for (const session of sessions.all()) session.endStreams();
      for (const close of closing) void close();
    },
  };
}
