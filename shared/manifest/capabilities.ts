import { isSecretField, type Connector, type ConnectorPackage, type ShellTool, type Tool } from './connector.ts';
import type { SettingField } from './schema/settings.ts';

/** What a connector can reach and run: the list a person reads before accepting it. Every entry is one readable line. */
export interface Capabilities {
  /** Hosts the server talks to, as written; tokens show that a setting or an argument decides. */
  hosts: string[];
  /** Sites whose tabs it works in. */
  sites: string[];
  /** Programs with their arguments, environment and folder, and what is sent to remote terminals. */
  commands: string[];
  /** Scripts by tool, with their full text. */
  scripts: Record<string, string>;
  /** Secrets it asks for, as paths such as `instances.api_token`. */
  secrets: string[];
  /** Parameters by tool: `name: type`, with `!` when required. */
  parameters: Record<string, string[]>;
  /** Tools that change something and ask first. */
  destructive: string[];
  /** Safety the connector gives up, such as certificate checks. */
  risks: string[];
}

/** Reads a connector's reach off its manifest. */
export function capabilitiesOf(pack: ConnectorPackage): Capabilities {
  const found: Capabilities = {
    hosts: [],
    sites: [],
    commands: [],
    scripts: {},
    secrets: secretPaths(pack.settings),
    parameters: {},
    destructive: [],
    risks: [],
  };
  for (const connector of pack.connectors) addConnector(found, connector);
  for (const key of ['hosts', 'sites', 'commands', 'destructive', 'risks'] as const) {
    found[key] = [...new Set(found[key])].sort();
  }
  return found;
}

function addConnector(found: Capabilities, connector: Connector): void {
  if (connector.host_match !== null) found.sites.push(connector.host_match);
  if (!connector.verify_tls) found.risks.push(`${connector.id}: certificates are not checked`);
  if (connector.test !== null && 'request' in connector.test) {
    found.hosts.push(urlHost(connector.test.request.url));
    addExchange(found, connector.test.auth ?? connector.auth);
  }
  if (connector.test?.probe === 'ssh')
    addSsh(found, connector.test.command === undefined ? [] : [connector.test.command]);
  for (const tool of Object.values(connector.tools)) addTool(found, connector, tool);
}

function addExchange(found: Capabilities, auth: Connector['auth']): void {
  if (auth.type === 'bearer-token-exchange') found.hosts.push(urlHost(auth.exchange_url));
}

function addSsh(found: Capabilities, commands: readonly string[]): void {
  found.hosts.push('ssh: the host in the arguments or settings');
  for (const command of commands) found.commands.push(`ssh: ${command}`);
}

function addTool(found: Capabilities, connector: Connector, tool: Tool): void {
  const id = `${connector.id}.${tool.name}`;
  found.parameters[id] = Object.entries(tool.parameters).map(
    ([name, parameter]) => `${name}: ${parameter.type}${parameter.required === true ? '!' : ''}`,
  );
  if (tool.destructive) found.destructive.push(id);
  for (const name of dashNames(tool)) found.risks.push(`${id}: “${name}” may be an option of the program`);
  switch (tool.protocol) {
    case 'http':
      found.hosts.push(urlHost(tool.request.url));
      addExchange(found, tool.auth);
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
      if (tool.page?.url !== undefined) found.sites.push(urlHost(tool.page.url));
  }
}

/** `https://api.github.com` or `{settings.base_url}`: the part of a URL template that decides where it goes. */
function urlHost(url: string): string {
  const match = /^(?:https?:\/\/[^/?#]*|\{[^}]*\}(?::\d+)?)/i.exec(url);
  return match?.[0] ?? url;
}

/** The environment and the folder are part of the line, because they decide which program a name stands for. */
function commandLine({ env = {}, command, cwd }: ShellTool): string {
  const [program = '', ...rest] = command.map(String);
  const parts = [
    ...Object.entries(env).map(([name, value]) => `${name}=${quoted(String(value))}`),
    // A program whose name looks like a variable must not read as one.
    program.includes('=') ? `'${program}'` : quoted(program),
    ...rest.map(quoted),
  ];
  return parts.join(' ') + (cwd === undefined ? '' : ` (in ${quoted(cwd)})`);
}

/** Parameters whose value a program may take for an option; only programs and terminals know options. */
function dashNames({ protocol, parameters }: Tool): string[] {
  if (protocol !== 'shell' && protocol !== 'ssh') return [];
  return Object.keys(parameters).filter((name) => parameters[name]?.allow_dash === true);
}

function quoted(part: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
}

/** Paths of all secrets in a settings declaration, rows included. */
export function secretPaths(fields: Record<string, SettingField>, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (field.type === 'instances') return secretPaths(field.fields, path);
    return isSecretField(field) ? [path] : [];
  });
}
