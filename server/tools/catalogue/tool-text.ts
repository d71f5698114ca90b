import { hash } from 'node:crypto';
import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Connector, ConnectorPackage, Tool } from '../../../shared/manifest/connector.ts';
import { inputSchema, toolId, toolLlmName } from '../../../shared/manifest/input-schema.ts';
import type { ToolMode } from '../../../shared/manifest/tool-mode.ts';
import type { ToolTerms, ToolModes } from '../../connectors/tool-modes.ts';
import { outputSchema } from './output-schema.ts';

/** A connector's tool as a client sees it; made once for each version of its manifest and of what people have decided about it. */
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

interface Kept {
  version: number;
  texts: readonly ToolText[];
}

const kept = new WeakMap<ConnectorPackage, Kept>();

/** The tools of one manifest. */
export function toolTexts(pack: ConnectorPackage, toolModes: Pick<ToolModes, 'of' | 'versionOf'>): readonly ToolText[] {
  const version = toolModes.versionOf(pack.id);
  const known = kept.get(pack);
  if (known?.version === version) return known.texts;
  const texts = pack.connectors.flatMap((connector) =>
    Object.values(connector.tools).map((tool) =>
      toolText(pack, connector, tool, toolModes.of({ package: pack, connector, tool })),
    ),
  );
  kept.set(pack, { version, texts });
  return texts;
}

/** The definition behind an entry of the list. */
function describeTool(pack: ConnectorPackage, connector: Connector, tool: Tool, terms: ToolTerms): McpTool {
  const output = outputSchema(tool);
  const title = titleOf(connector, tool);
  return {
    name: shortName(toolLlmName(connector, tool)),
    title,
    description: descriptionOf(tool, terms.mode, title),
    // Both are JSON Schemas of an object; their builders do not carry that in their type.
    inputSchema: inputSchema(tool, pack.settings) as McpTool['inputSchema'],
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

function toolText(pack: ConnectorPackage, connector: Connector, tool: Tool, terms: ToolTerms): ToolText {
  const described = describeTool(pack, connector, tool, terms);
  const { name, outputSchema: output } = described;
  return {
    ...{ id: toolId(connector, tool), name, title: titleOf(connector, tool), package: pack, connector, tool },
    mode: terms.mode,
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
