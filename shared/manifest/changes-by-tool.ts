import type { DefinitionChange } from './definition-diff.ts';

/** The differences of one tool, or of the connector itself. */
export interface ToolChanges {
  /** Null for the connector itself. */
  tool: string | null;
  lines: DefinitionChange[];
}

/**
 * Differences by the tool they are about, in the order in which each tool's first one comes. A manifest of one connector gives its name and
 * description to the package as well: what reads the same is one line.
 */
export function changesByTool(lines: readonly DefinitionChange[]): ToolChanges[] {
  const groups = new Map<string | null, DefinitionChange[]>();
  for (const line of lines) {
    const group = groups.get(line.tool);
    if (group === undefined) groups.set(line.tool, [line]);
    else if (!group.some((other) => readsAlike(other, line))) group.push(line);
  }
  return [...groups].map(([tool, own]) => ({ tool, lines: own }));
}

function readsAlike(one: DefinitionChange, other: DefinitionChange): boolean {
  return (['place', 'words', 'kind', 'weight', 'before', 'after'] as const).every((key) => one[key] === other[key]);
}
