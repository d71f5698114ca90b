import type { PassThrough } from 'node:stream';
import type { Bridge } from '../bridge/create-bridge.ts';
import type { ExtensionFiles } from '../bridge/extension-files.ts';
import type { Chat } from '../chat/create-chat.ts';
import type { TelegramLinks } from '../chat/telegram-links.ts';
import type { AcceptedDefinitions } from '../connectors/accepted-definitions.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { ConnectorHealth } from '../connectors/connector-health.ts';
import type { PackageLints } from '../connectors/package-lints.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';
import type { Installer } from '../connectors/installer.ts';
import type { Demo } from '../demo/demo.ts';
import type { Registry } from '../connectors/registry.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Settings } from '../settings/settings.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { DecisionWaits } from '../approvals/decision-waits.ts';
import type { Mcp } from '../mcp/create-mcp.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { FileStore } from '../results/files.ts';
import type { ResultStore } from '../results/handles.ts';
import type { KnownHosts } from '../runners/ssh/known-hosts.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import type { InspectPage } from '../tools/inspect-page.ts';
import type { TestRequest } from '../tools/test-connector.ts';
import type { TestOutcome } from '../tools/test-steps.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Execution } from '../execution/create-execution.ts';
import type { ChannelSettings } from '../watches/channels/channel-settings.ts';
import type { Watches } from '../watches/create-watches.ts';
import type { Access } from './access.ts';
import type { Confirmations } from './confirm/confirmations.ts';
import type { LoginCodes } from './sessions/login-codes.ts';
import type { PageSessions } from './sessions/page-sessions.ts';

/** Calling tools and what is kept about it. */
export interface Calls {
  call(request: CallRequest): Promise<CallAnswer>;
  test(connectorId: string, request: TestRequest): Promise<TestOutcome>;
  log: CallLog;
  results: ResultStore;
  files: FileStore;
  approvals: Approvals;
  /** Callers that wait for a person's decision. */
  waits: DecisionWaits;
  /** The longest time a call is held for it. */
  holdMs: number;
}

/** What the routes call; put together in main.ts. */
export interface Services {
  access: Access;
  /** What stands in login links. */
  loginCodes: LoginCodes;
  pageSessions: PageSessions;
  /** What pages have asked for and a person has to confirm. */
  confirmations: Confirmations;
  accepted: AcceptedDefinitions;
  calls: Calls;
  catalog: Catalog;
  /** Whether connectors work, by their tests and calls. */
  health: ConnectorHealth;
  lints: PackageLints;
  /** On, Ask or Never for each tool. */
  toolModes: ToolModes;
  demo: Demo;
  installer: Installer;
  registry: Registry;
  secrets: Secrets;
  settings: Settings;
  /** Keys of hosts that ssh tools have talked to. */
  knownHosts: KnownHosts;
  bridge: Bridge;
  extensionFiles: ExtensionFiles;
  inspectPage: InspectPage;
  mcp: Mcp;
  watches: Watches;
  /** Where reports go besides their conversation. */
  channels: ChannelSettings;
  events: EventBus;
  /** Models, runtimes and tasks. */
  execution: Execution;
  chat: Chat;
  telegram: TelegramLinks;
  /** The clients that listen to events now. */
  streams: Set<PassThrough>;
  version: string;
  /** The port in use, known once the server listens. */
  port: () => number;
  ownPorts: () => readonly number[];
}
