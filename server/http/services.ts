import type { Bridge } from '../bridge/create-bridge.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { Installer } from '../connectors/installer.ts';
import type { Registry } from '../connectors/registry.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Settings } from '../settings/settings.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Mcp } from '../mcp/create-mcp.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { FileStore } from '../results/files.ts';
import type { ResultStore } from '../results/handles.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import type { InspectPage } from '../tools/inspect-page.ts';
import type { TestOutcome } from '../tools/test-steps.ts';
import type { Access } from './access.ts';

/** Calling tools and what is kept about it. */
export interface Calls {
  call(request: CallRequest): Promise<CallAnswer>;
  test(connectorId: string, instance: string | undefined, signal: AbortSignal): Promise<TestOutcome>;
  log: CallLog;
  results: ResultStore;
  files: FileStore;
  approvals: Approvals;
}

/** What the routes call; put together in main.ts. */
export interface Services {
  access: Access;
  calls: Calls;
  catalog: Catalog;
  installer: Installer;
  registry: Registry;
  secrets: Secrets;
  settings: Settings;
  bridge: Bridge;
  inspectPage: InspectPage;
  mcp: Mcp;
  version: string;
  /** The port in use, known once the server listens. */
  port: () => number;
}
