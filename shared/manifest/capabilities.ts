import { commandLine as typedCommand, quoted } from './command-line.ts';
import { secretsBesideArguments } from './commands/secret-beside-argument.ts';
import { isSecretField, templateSettings, type ShellTool, type Tool } from './connector.ts';
import type { Definition } from './definition.ts';
import type { SettingField } from './schema/settings.ts';
import { loginRequests, secretFlows } from './secret-flows.ts';
import { originLine } from './shown-origin.ts';

/** What a connector can reach and run: the list a person reads before accepting it. Every entry is one readable line. */
export interface Capabilities {
  /** Which secret goes to which host or program, and as what. */
  flows: string[];
  /** Hosts the server talks to; tokens show that a setting or an argument decides. */
  hosts: string[];
  /** Sites whose tabs it works in. */
  sites: string[];
  /** Programs with their arguments, environment and folder, and what is sent to remote terminals. */
  commands: string[];
  /** Scripts by tool, with their full text. */
  scripts: Record<string, string>;
  /** Secrets it asks for, as paths such as `instances.api_token`. */
  secrets: string[];
  tools: string[];
  /** Tools that change something and ask first. */
  destructive: string[];
  /** Safety the connector gives up, such as certificate checks. */
  risks: string[];
}

const known = new WeakMap<Definition, Capabilities>();

/** A summary of a definition, made once; what is compared is the definition itself. */
export function capabilitiesOf(definition: Definition): Capabilities {
  let found = known.get(definition);
  if (found === undefined) known.set(definition, (found = summaryOf(definition)));
  return found;
}

function summaryOf(definition: Definition): Capabilities {
  const found: Capabilities = {
    flows: secretFlows(definition),
    hosts: [],
    sites: [],
    commands: [],
    scripts: {},
    secrets: secretPaths(definition.settings),
    tools: [],
    destructive: [],
    risks: [],
  };
  const settings = templateSettings(definition.settings);
  for (const connector of definition.connectors) addConnector(found, connector, settings);
  for (const key of ['hosts', 'sites', 'commands', 'destructive', 'risks', 'tools'] as const) {
    found[key] = [...new Set(found[key])].sort();
  }
  return found;
}

/** Where an address leads. */
type OriginOf = (url: string) => string;
type DefinedConnector = Definition['connectors'][number];

function addConnector(found: Capabilities, connector: DefinedConnector, settings: Record<string, SettingField>): void {
  const originOf: OriginOf = (url) => originLine(url, settings);
  if (connector.host_match !== null) found.sites.push(siteOf(connector.host_match, originOf));
  if (!connector.verify_tls) found.risks.push(`${connector.id}: certificates are not checked`);
  if (connector.test !== null && 'request' in connector.test) {
    found.hosts.push(originOf(connector.test.request.url));
    addExchange(found, connector.test.auth ?? connector.auth, originOf);
  }
  if (connector.test?.probe === 'ssh')
    addSsh(found, connector.test.command === undefined ? [] : [connector.test.command]);
  for (const tool of Object.values(connector.tools)) {
    addTool(found, connector, tool, originOf);
    for (const risk of commandRisks(tool, settings)) found.risks.push(`${connector.id}.${tool.name}: ${risk}`);
  }
}

/** A pattern as it is written, if it reads as what it is. */
function siteOf(pattern: string, originOf: OriginOf): string {
  const origin = originOf(pattern);
  return pattern.toLowerCase().startsWith(origin) ? pattern : origin;
}

function addExchange(found: Capabilities, auth: DefinedConnector['auth'], originOf: OriginOf): void {
  if (auth.type === 'bearer-token-exchange') found.hosts.push(originOf(auth.exchange_url));
  if (auth.type === 'session') for (const { url } of loginRequests(auth)) found.hosts.push(originOf(url));
}

function addSsh(found: Capabilities, commands: readonly string[]): void {
  found.hosts.push('ssh: the host in the arguments or settings');
  for (const command of commands) found.commands.push(`ssh: ${command}`);
}

function addTool(found: Capabilities, connector: DefinedConnector, tool: Tool, originOf: OriginOf): void {
  const id = `${connector.id}.${tool.name}`;
  found.tools.push(id);
  if (tool.destructive) found.destructive.push(id);
  for (const name of dashNames(tool)) found.risks.push(`${id}: “${name}” may be an option of the program`);
  switch (tool.protocol) {
    case 'http':
      for (const name of Object.keys(tool.parameters))
        if (tool.parameters[name]?.type === 'file')
          found.risks.push(`${id}: sends a file of this computer (“${name}”) to ${originOf(tool.request.url)}`);
      found.hosts.push(originOf(tool.request.url));
      addExchange(found, tool.auth, originOf);
      return;
    case 'shell':
      found.commands.push(commandLine(tool));
      return;
    case 'ssh':
      addSsh(found, tool.ssh?.commands ?? []);
      for (const { match, send } of tool.ssh?.auto_answer ?? [])
        found.commands.push(`ssh: answers ${quoted(match)} with ${quoted(String(send))}`);
      return;
    case 'browser':
      found.scripts[id] = tool.script;
      if (tool.page?.url !== undefined) found.sites.push(originOf(tool.page.url));
  }
}

/** The environment and the folder are part of the line, because they decide which program a name stands for. */
function commandLine({ env = {}, command, cwd }: ShellTool): string {
  const [program = '', ...rest] = command.map(String);
  const parts = [
    ...Object.entries(env).map(([name, value]) => `${name}=${quoted(String(value))}`),
    // A program whose name looks like a variable must not read as one.
    program.includes('=') ? `'${program}'` : quoted(program),
    ...(rest.length === 0 ? [] : [typedCommand(rest)]),
  ];
  return parts.join(' ') + (cwd === undefined ? '' : ` (in ${quoted(cwd)})`);
}

/** A secret and a free argument in one command: the argument may decide where the secret goes. */
function commandRisks(tool: Tool, settings: Record<string, SettingField>): string[] {
  const found = secretsBesideArguments(tool, settings);
  if (found === null) return [];
  const list = (all: readonly string[]): string => all.map((name) => `“${name}”`).join(', ');
  return [`${list(found.args)} and the saved ${list(found.secrets)} go into one command`];
}

/** Parameters whose value a program may take for an option; only programs and terminals know options. */
function dashNames({ protocol, parameters }: Tool): string[] {
  if (protocol !== 'shell' && protocol !== 'ssh') return [];
  return Object.keys(parameters).filter((name) => parameters[name]?.allow_dash === true);
}

/** Paths of all secrets in a settings declaration, rows included. */
export function secretPaths(fields: Record<string, SettingField>, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (field.type === 'instances') return secretPaths(field.fields, path);
    return isSecretField(field) ? [path] : [];
  });
}
