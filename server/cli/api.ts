import type { Static } from '@sinclair/typebox';
import type {
  ConnectorDetail,
  ConnectorList,
  InstallAnswer,
  MarketplaceAnswer,
  McpClientAnswer,
  McpClientsAnswer,
  NewMcpClient,
  NewMcpClientAnswer,
  ResultQuery,
  RotateAnswer,
  SecretsAnswer,
  SettingsAnswer,
  TestAnswer,
  TokenAnswer,
  ToolList,
} from '../../shared/api.ts';
import type { CallDetail, CallsAnswer, CallsQuery, VerifyAnswer } from '../../shared/calls-api.ts';
import type { DiffAnswer } from '../../shared/diff-api.ts';
import type { AllowRequest, ApprovalsAnswer, DecisionRequest } from '../../shared/approvals-api.ts';
import type { BrowserAnswer, BrowsersAnswer, InspectAnswer, InspectRequest } from '../../shared/browsers-api.ts';
import type {
  ChatMessage,
  ChatNewMessage,
  ChatSession,
  ChatSessionDetail,
  ChatStarted,
} from '../../shared/chat-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { LoginCodeAnswer, PageSessionList } from '../../shared/sessions-api.ts';
import type { ForgottenAnswer, KnownHostsAnswer } from '../../shared/ssh-api.ts';
import type { TelegramState } from '../../shared/telegram-api.ts';
import type { PreviewAnswer } from '../../shared/install-api.ts';
import type { WatchDetail, WatchesAnswer, WatchSummary } from '../../shared/watches-api.ts';
import type { StandingApproval } from '../approvals/standing.ts';
import type { Request } from './client.ts';
import type { Modes } from './tool-modes.ts';

/** Wider than ids are: whether there is such a thing is the server's to say. */
const WORD = /^[\w-]{1,64}$/;
const TOOL = /^[\w-]+(\.[\w-]+)?$/;

export type CallFilter = Static<typeof CallsQuery>;
export type CallRow = Static<typeof CallsAnswer>['calls'][number];
export type Approval = Static<typeof ApprovalsAnswer>['approvals'][number];
export type Decision = Static<typeof DecisionRequest>;
export type TestAnswer = Static<typeof TestAnswer>;
export type InspectBody = Static<typeof InspectRequest>;

type Source = { yaml: string } | Uint8Array;

export type ForgeApi = ReturnType<typeof forgeApi>;

/**
 * The routes that commands use, by name. The server checks nothing on the way out, but its answers are typed by the very
 * schemas these types are made from, which is why each cast below is safe.
 */
export function forgeApi(request: Request) {
  const get = (path: string) => request('GET', path);
  const post = (path: string, body?: unknown) => request('POST', path, body);
  return {
    ...connectorRoutes(request),
    settings: async (id: string) => (await get(at(id, '/settings'))) as SettingsAnswer,
    saveSettings: async (id: string, values: Record<string, unknown>, revision: number) =>
      (await request('PUT', at(id, '/settings'), { values, revision })) as SettingsAnswer,
    inspect: async (body: InspectBody) => (await post('/api/browsers/inspect', body)) as Static<typeof InspectAnswer>,
    tools: async () => ((await get('/api/tools')) as Static<typeof ToolList>).tools,
    /** The connector's own test. */
    test: async (id: string, instance?: string) =>
      (await post(withQuery(at(id, '/test'), { instance }))) as Static<typeof TestAnswer>,
    calls: async (filter: CallFilter) =>
      ((await get(withQuery('/api/calls', filter))) as Static<typeof CallsAnswer>).calls,
    call: async (id: string) => (await get(`/api/calls/${checkedWord(id, 'a call')}`)) as Static<typeof CallDetail>,
    verifyCalls: async (since?: string) =>
      (await get(withQuery('/api/calls/verify', { since }))) as Static<typeof VerifyAnswer>,
    result: (handle: string, window: Static<typeof ResultQuery>) =>
      get(withQuery(`/api/results/${checkedWord(handle, 'a result')}`, window)),
    /** Those that wait, or the latest of all. */
    approvals: async (all = false) =>
      (
        (await get(withQuery('/api/approvals', { limit: '200', ...(all ? { all: 'true' } : {}) }))) as Static<
          typeof ApprovalsAnswer
        >
      ).approvals,
    decide: async (id: string, decision: Decision) =>
      (await post(`/api/approvals/${checkedWord(id, 'an approval')}`, decision)) as Approval,
    allow: async (allowed: Static<typeof AllowRequest>) =>
      (await post('/api/approvals/standing', allowed)) as StandingApproval,
    standing: async () => ((await get('/api/approvals/standing')) as { standing: StandingApproval[] }).standing,
    revokeStanding: (id: string) =>
      request('DELETE', `/api/approvals/standing/${checkedWord(id, 'a standing approval')}`),
    ...watchRoutes(request),
    newSession: async (model: string | undefined) =>
      (await post('/api/chat/sessions', model === undefined ? {} : { model })) as ChatSession,
    chatSession: async (sessionId: string) => (await get(sessionAt(sessionId))) as ChatSessionDetail,
    say: async (sessionId: string, message: ChatNewMessage) =>
      (await post(`${sessionAt(sessionId)}/messages`, message)) as ChatStarted,
    message: async (sessionId: string, messageId: string) =>
      (await get(`${sessionAt(sessionId)}/messages/${messageId}`)) as ChatMessage,
    cancelTask: (taskId: string) => post(`/api/tasks/${taskId}/cancel`),
    browsers: async () => (await get('/api/browsers')) as Static<typeof BrowsersAnswer>,
    acceptBrowser: async (id: string, mayManage: boolean) =>
      (await post(`/api/browsers/${checkedWord(id, 'a browser')}/accept?may_manage=${mayManage}`)) as Static<
        typeof BrowserAnswer
      >,
    revokeBrowser: (id: string) => post(`/api/browsers/${checkedWord(id, 'a browser')}/revoke`),
    renameBrowser: async (id: string, name: string) =>
      (await request('PATCH', `/api/browsers/${checkedWord(id, 'a browser')}`, { name })) as Static<
        typeof BrowserAnswer
      >,
    knownHosts: async () => ((await get('/api/ssh/known-hosts')) as Static<typeof KnownHostsAnswer>).hosts,
    forgetKnownHost: async (host: string) =>
      (await request('DELETE', `/api/ssh/known-hosts/${encodeURIComponent(host)}`)) as Static<typeof ForgottenAnswer>,
    loginCode: async () => ((await post('/api/auth/codes')) as Static<typeof LoginCodeAnswer>).code,
    pageSessions: async () => ((await get('/api/page-sessions')) as PageSessionList).sessions,
    endPageSession: (id: string) => request('DELETE', `/api/page-sessions/${checkedWord(id, 'a signed-in page')}`),
    rotateToken: async () => ((await post('/api/auth/rotate')) as Static<typeof TokenAnswer>).token,
    mcpClients: async () => ((await get('/api/mcp/clients')) as Static<typeof McpClientsAnswer>).clients,
    addMcpClient: async (client: Static<typeof NewMcpClient>) =>
      (await post('/api/mcp/clients', client)) as Static<typeof NewMcpClientAnswer>,
    limitMcpClient: async (name: string, limits: { connectors: string[] | null; read_only: boolean }) =>
      (await request('PATCH', clientAt(name), limits)) as Static<typeof McpClientAnswer>,
    revokeMcpClient: (name: string) => request('DELETE', clientAt(name)),
    secrets: async () => (await get('/api/secrets')) as SecretsAnswer,
    rotateSecrets: async () => (await post('/api/secrets/rotate')) as RotateAnswer,
  };
}

/** The address of a connector, or of something of it. */
function at(id: string, rest = ''): string {
  return `/api/connectors/${checkedId(id)}${rest}`;
}

/** Connectors: what is installed, what is offered, and taking it. */
function connectorRoutes(request: Request) {
  const get = (path: string) => request('GET', path);
  const post = (path: string, body?: unknown) => request('POST', path, body);
  return {
    connectors: async () => ((await get('/api/connectors')) as Static<typeof ConnectorList>).connectors,
    connector: async (id: string) => (await get(at(id))) as ConnectorDetail,
    refresh: async (id: string) => (await post(at(id, '/refresh'))) as ConnectorDetail,
    setEnabled: async (id: string, enabled: boolean) =>
      (await request('PATCH', at(id), { enabled })) as ConnectorDetail,
    remove: (id: string, settings: 'keep' | 'delete') => request('DELETE', at(id, `?settings=${settings}`)),
    /** A manifest's text, or a whole package as a zip. */
    preview: async (source: Source) => (await post('/api/connectors/preview', source)) as PreviewAnswer,
    previewOffered: async (id: string) =>
      (await get(`/api/connectors/marketplace/${checkedId(id)}/preview`)) as PreviewAnswer,
    /** Only files of the hash that a preview gave. */
    install: async (source: Source, expect: string, modes: Modes = {}) =>
      (await post(withQuery('/api/connectors/install-local', { expect, ...listsOf(modes) }), source)) as InstallAnswer,
    installOffered: async (id: string, expect: string, modes: Modes = {}) =>
      (await post(
        withQuery(`/api/connectors/marketplace/${checkedId(id)}/install`, { expect, ...listsOf(modes) }),
      )) as InstallAnswer,
    /** The files of an installed connector against what was accepted. */
    review: async (id: string) => (await get(at(id, '/review'))) as PreviewAnswer,
    accept: (id: string, sha256: string) => post(at(id, '/accept'), { sha256 }),
    setModes: async (id: string, modes: Modes) =>
      ((await request('PATCH', at(id, '/modes'), { modes })) as Static<typeof ToolList>).tools,
    marketplace: async (refresh = false) =>
      (await get(`/api/connectors/marketplace${refresh ? '?refresh=true' : ''}`)) as MarketplaceAnswer,
    /** Against the registry's version. */
    diff: async (id: string) => (await get(at(id, '/diff'))) as DiffAnswer,
  };
}

/** Those about watches, and where their reports go. */
function watchRoutes(request: Request) {
  const get = (path: string) => request('GET', path);
  const post = (path: string) => request('POST', path);
  return {
    /** Those that are active, or all of them. */
    watches: async (all = false) =>
      ((await get(withQuery('/api/watches', all ? {} : { active: 'true' }))) as Static<typeof WatchesAnswer>).watches,
    watch: async (id: string) => (await get(watchAt(id))) as WatchDetail,
    cancelWatch: async (id: string) => (await request('DELETE', watchAt(id))) as WatchSummary,
    retryWatch: async (id: string) => (await post(`${watchAt(id)}/retry`)) as WatchSummary,
    channels: async () => (await get('/api/watches/channels')) as SettingsAnswer,
    saveChannels: async (values: Record<string, unknown>, revision: number) =>
      (await request('PUT', '/api/watches/channels', { values, revision })) as SettingsAnswer,
    beginTelegram: async (sessionId: string) => (await post(telegramAt(sessionId))) as TelegramState,
    confirmTelegram: async (sessionId: string) => (await post(`${telegramAt(sessionId)}/confirm`)) as TelegramState,
    unlinkTelegram: (sessionId: string) => request('DELETE', telegramAt(sessionId)),
  };
}

/** Adds what is set to an address. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set).toString()}`;
}

/** The tools of each mode, as an installation takes them. */
function listsOf(modes: Modes): Record<string, string | undefined> {
  const lists: Record<string, string> = {};
  for (const [id, mode] of Object.entries(modes)) lists[mode] = [lists[mode] ?? [], id].flat().join(',');
  return lists;
}

/** The address a tool is called at, by its id or by the name that models use. */
export function callPath(toolId: string): string {
  if (TOOL.test(toolId)) return `/api/tools/${toolId}/call`;
  throw new ForgeError('tool_not_found', `${shown(toolId)} cannot be the name of a tool`);
}

function watchAt(id: string): string {
  return `/api/watches/${checkedWord(id, 'a watch')}`;
}

function sessionAt(id: string): string {
  return `/api/chat/sessions/${checkedWord(id, 'a conversation')}`;
}

function telegramAt(sessionId: string): string {
  return `${sessionAt(sessionId)}/telegram`;
}

/** Names of clients may have spaces in them. */
function clientAt(name: string): string {
  return `/api/mcp/clients/${encodeURIComponent(name)}`;
}

/** What could not be an id must not become part of an address. */
function checkedId(id: string): string {
  // `marketplace` stands where an id stands, and no connector may be called so.
  if (WORD.test(id) && id !== 'marketplace') return id;
  throw new ForgeError('connector_not_found', `${shown(id)} cannot be the id of a connector`);
}

function checkedWord(id: string, noun: string): string {
  if (WORD.test(id)) return id;
  throw new ForgeError('not_found', `${shown(id)} cannot be the id of ${noun}`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
