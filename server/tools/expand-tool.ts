import type { BrowserTool, Connector, Tool } from '../../shared/manifest/connector.ts';
import { CALL_NAMESPACES, requireNamespaces } from '../../shared/template/namespaces.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { AuthPlan } from '../auth/authorize.ts';
import type { Job } from '../runners/job.ts';
import type { CallScope, ExpandOptions } from './call-scope.ts';
import { expandBrowserTool, scriptOf } from './expand-browser.ts';
import { expandHttpTool } from './expand-http.ts';
import { expandShellTool } from './expand-shell.ts';
import { expandSshTool } from './expand-ssh.ts';
import type { HostSource } from './host-source.ts';
import { requireDeclared, requireDeclaredTokens } from './require-declared.ts';

/** A call with every template filled in. */
export interface Expanded {
  job: Job;
  /** How an http job proves who it is; null for other protocols. */
  auth: AuthPlan | null;
  /** Hosts it will talk to, and who named each. */
  hosts: HostSource[];
  /** What a person is asked about because of it, in a sentence each. */
  risks: readonly string[];
  /** The job without its secrets, where it need not be filled in again for that. */
  shown?: (() => Job) | undefined;
}

type Expand<T extends Tool> = (tool: T, entry: ToolEntry, scope: CallScope, options: ExpandOptions) => Expanded;
type Expanders = { [P in Tool['protocol']]: Expand<Extract<Tool, { protocol: P }>> };

const NO_RISKS: readonly string[] = [];

/** One line per protocol. */
const EXPANDERS: Expanders = {
  http: (tool, { connector }, scope, options) => {
    const { request, auth, hosts, shown } = expandHttpTool(tool, connector, scope, options);
    return { job: request, auth, hosts, risks: NO_RISKS, shown };
  },
  shell: (tool, _entry, scope, options) => ({ ...expandShellTool(tool, scope, options), auth: null, hosts: [] }),
  browser: (tool, { connector }, scope, options) => ({
    ...expandBrowserTool(tool, connector, scope, options),
    auth: null,
    risks: [],
  }),
  ssh: (tool, _entry, scope, options) => ({ ...expandSshTool(tool, scope, options), auth: null }),
};

/** Tools whose templates name nothing that a call does not have, and no setting that is not declared. */
const sound = new WeakSet<Tool>();

/** Stage 6: settings and arguments into a job. */
export function expandTool(entry: ToolEntry, scope: CallScope, options: ExpandOptions): Expanded {
  if (!sound.has(entry.tool)) {
    requireNamespaces(templatesOf(entry.tool), options.bareNames, CALL_NAMESPACES);
    requireDeclared([templatesOf(entry.tool), entry.tool.async], options.bareNames);
    if (entry.tool.protocol === 'browser') requireDeclaredInPage(entry.tool, entry.connector, options.bareNames);
    sound.add(entry.tool);
  }
  // The table ties each protocol to its own kind of tool; TypeScript cannot follow that through a lookup.
  const expand = EXPANDERS[entry.tool.protocol] as Expand<Tool>;
  return expand(entry.tool, entry, scope, options);
}

function requireDeclaredInPage(tool: BrowserTool, connector: Connector, declared: ReadonlySet<string>): void {
  requireDeclared([connector.host_match, connector.login_redirect], declared);
  requireDeclaredTokens(scriptOf(tool, declared).tokens, declared);
}

/** All but scripts, in which other names are the script's own. */
function templatesOf(tool: Tool): unknown {
  switch (tool.protocol) {
    case 'http':
      return [tool.request, tool.auth];
    case 'shell':
      return [tool.command, tool.env, tool.cwd];
    case 'ssh':
      return tool.ssh;
    case 'browser':
      return tool.page;
  }
}
