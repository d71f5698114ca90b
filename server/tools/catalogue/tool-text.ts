import { hash } from 'node:crypto';
import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Connector, ConnectorPackage, Tool } from '../../../shared/manifest/connector.ts';
import { inputSchema, toolId, toolLlmName } from '../../../shared/manifest/input-schema.ts';
import type { ToolMode } from '../../../shared/manifest/tool-mode.ts';
import type { ToolTerms, ToolModes } from '../../connectors/tool-modes.ts';
import type { Settings } from '../../settings/settings.ts';
import { outputSchema } from './output-schema.ts';

/** A connector's tool as a client sees it; made once for each version of its manifest, of what people have decided about it and of its instances' names. */
export interface ToolText {
  id: string;
  /** What models call it. */
  name: string;
  /** What people read: “Jira: list my issues”. */
  title: string;
  package: ConnectorPackage;
  connector: Connector;
  tool: Tool;
  mode: ToolMode;
  /** Its entry in the list, as JSON text. */
  json: string;
  hasOutput: boolean;
}

/** Longer ones are refused by models, and by some of them together with the whole list. */
const MAX_NAME = 64;

/** A tool with what is around it. */
type ToolPlace = Pick<ToolText, 'package' | 'connector' | 'tool'>;

/** What people have decided and set up, as far as clients see it. */
export interface ToolSources {
  toolModes: Pick<ToolModes, 'of' | 'versionOf'>;
  settings: Pick<Settings, 'instanceNames'>;
}

interface Kept {
  version: number;
  instances: readonly string[];
  texts: readonly ToolText[];
}

const kept = new WeakMap<ConnectorPackage, Kept>();

/** The tools of one manifest. */
export function toolTexts(pack: ConnectorPackage, { toolModes, settings }: ToolSources): readonly ToolText[] {
  const version = toolModes.versionOf(pack.id);
  const instances = settings.instanceNames(pack);
  const known = kept.get(pack);
  if (known?.version === version && known.instances === instances) return known.texts;
  const texts = pack.connectors.flatMap((connector) =>
    Object.values(connector.tools).map((tool) => {
      const entry = { package: pack, connector, tool };
      return toolText(entry, toolModes.of(entry), instances);
    }),
  );
  kept.set(pack, { version, instances, texts });
  return texts;
}

/** The definition behind an entry of the list. */
function describeTool(
  { package: pack, connector, tool }: ToolPlace,
  terms: ToolTerms,
  instances: readonly string[],
): McpTool {
  const output = outputSchema(tool);
  const title = titleOf(connector, tool);
  return {
    name: shortName(toolLlmName(connector, tool)),
    title,
    description: descriptionOf(tool, terms.mode, title),
    // Both are JSON Schemas of an object; their builders do not carry that in their type.
    inputSchema: inputSchema(tool, pack.settings, instances) as McpTool['inputSchema'],
    ...(output === null ? {} : { outputSchema: output }),
    // A client may let harmless tools run unasked, so only what is certain is called harmless. A watch makes each call another one.
    annotations: {
      readOnlyHint: terms.onlyReads,
      destructiveHint: !terms.onlyReads,
      idempotentHint: terms.onlyReads && tool.async === undefined,
      openWorldHint: true,
    },
  };
}

function titleOf(connector: Connector, tool: Tool): string {
  return `${connector.name}: ${tool.name.replaceAll('_', ' ')}`;
}

function toolText(entry: ToolPlace, terms: ToolTerms, instances: readonly string[]): ToolText {
  const described = describeTool(entry, terms, instances);
  const { name, outputSchema: output } = described;
  return {
    ...{
      id: toolId(entry.connector, entry.tool),
      name,
      title: titleOf(entry.connector, entry.tool),
      ...entry,
      mode: terms.mode,
    },
    json: JSON.stringify(described),
    hasOutput: output !== undefined,
  };
}

function descriptionOf(tool: Tool, mode: ToolMode, title: string): string {
  const parts = [tool.description === '' ? `${title}.` : tool.description];
  if (typeof tool.returns === 'string') parts.push(`Returns: ${tool.returns}`);
  if (tool.destructive) parts.push('Changes something: a person approves each call.');
  else if (mode === 'ask') parts.push('A person approves each call.');
  return parts.join(' ');
}

/** Cut, with a part of the whole name's hash, so that two long names stay two. */
function shortName(name: string): string {
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME - 9)}_${hash('sha256', name, 'hex').slice(0, 8)}`;
}
