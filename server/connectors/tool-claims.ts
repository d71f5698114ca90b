import { hash } from 'node:crypto';
import { claimsToRead } from '../../shared/manifest/certain-to-read.ts';
import type { Connector, ConnectorPackage, Tool } from '../../shared/manifest/connector.ts';
import { toolId } from '../../shared/manifest/input-schema.ts';

/** Tools that say `read_only`, by id, with the definition that said so. */
export type Claims = Readonly<Record<string, string>>;

/** The tools of a package that say `read_only` without it being plain from their request. */
export function claimsOf(pack: ConnectorPackage): Claims {
  const claimed = pack.connectors.flatMap((connector) =>
    Object.values(connector.tools)
      .filter(claimsToRead)
      .map((tool) => [toolId(connector, tool), definitionOf(connector, tool)] as const),
  );
  return Object.fromEntries(claimed);
}

const definitions = new WeakMap<Tool, string>();

/** A claim is accepted for what the tool is then; once edited, it is a claim about another tool. */
export function definitionOf(connector: Connector, tool: Tool): string {
  let known = definitions.get(tool);
  if (known === undefined) {
    known = hash('sha256', JSON.stringify([{ ...connector, tools: null }, tool]), 'hex');
    definitions.set(tool, known);
  }
  return known;
}
