import { ForgeError } from '../../shared/errors.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { ToolTerms, ToolModes } from '../connectors/tool-modes.ts';

/** What a person has decided about a tool. One that is set to Never runs for nobody, however it was found. */
export function requireNotNever(entry: ToolEntry, toolModes: Pick<ToolModes, 'of'>): ToolTerms {
  const terms = toolModes.of(entry);
  if (terms.mode !== 'never') return terms;
  throw new ForgeError('tool_off', `${entry.connector.id}.${entry.tool.name} is set to Never`);
}
