import { hash } from 'node:crypto';
import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Connector, ConnectorPackage, Tool } from '../../../shared/manifest/connector.ts';
import { inputSchema, toolId, toolLlmName } from '../../../shared/manifest/input-schema.ts';
import { isReadOnlyTool } from '../caller-limits.ts';
import { outputSchema } from './output-schema.ts';

/** A connector's tool as a client sees it; made once for each version of its manifest. */
export interface ToolText {
  id: string;
  /** What models call it. */
  name: string;
  package: ConnectorPackage;
  connector: Connector;
  tool: Tool;
  /** Its entry in the list, as JSON text. */
  json: string;
  hasOutput: boolean;
}

/** Longer ones are refused by models, and by some of them together with the whole list. */
const MAX_NAME = 64;

const texts = new WeakMap<ConnectorPackage, ToolText[]>();

/** The tools of one manifest. */
export function toolTexts(pack: ConnectorPackage): readonly ToolText[] {
  let found = texts.get(pack);
  if (found === undefined) {
    found = pack.connectors.flatMap((connector) =>
      Object.values(connector.tools).map((tool) => toolText(pack, connector, tool)),
    );
    texts.set(pack, found);
  }
  return found;
}

/** The definition behind an entry of the list. */
function describeTool(pack: ConnectorPackage, connector: Connector, tool: Tool): McpTool {
  const output = outputSchema(tool);
  const title = `${connector.name}: ${tool.name.replaceAll('_', ' ')}`;
  return {
    name: shortName(toolLlmName(connector, tool)),
    title,
    description: descriptionOf(tool, title),
    // Both are JSON Schemas of an object; their builders do not carry that in their type.
    inputSchema: inputSchema(tool, pack.settings) as McpTool['inputSchema'],
    ...(output === null ? {} : { outputSchema: output }),
    annotations: {
      readOnlyHint: isReadOnlyTool(tool),
      destructiveHint: tool.destructive,
      openWorldHint: true,
    },
  };
}

function toolText(pack: ConnectorPackage, connector: Connector, tool: Tool): ToolText {
  const described = describeTool(pack, connector, tool);
  const { name, outputSchema: output } = described;
  const json = JSON.stringify(described);
  return { id: toolId(connector, tool), name, package: pack, connector, tool, json, hasOutput: output !== undefined };
}

function descriptionOf(tool: Tool, title: string): string {
  const parts = [tool.description === '' ? `${title}.` : tool.description];
  if (typeof tool.returns === 'string') parts.push(`Returns: ${tool.returns}`);
  if (tool.destructive) parts.push('Changes something: a person approves each call.');
  return parts.join(' ');
}

/** Cut, with a part of the whole name's hash, so that two long names stay two. */
function shortName(name: string): string {
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME - 9)}_${hash('sha256', name, 'hex').slice(0, 8)}`;
}
