import { ForgeError } from '../../shared/errors.ts';
import { closestWord } from '../../shared/manifest/did-you-mean.ts';
import type { Catalog, ToolEntry } from '../connectors/catalog.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';
import { isWithinLimits, type CallerLimits } from './caller-limits.ts';

interface Sources {
  catalog: Catalog;
  toolModes: Pick<ToolModes, 'of'>;
}

/** To be awaited before `resolveTool` unless it is null: a large manifest that was edited is read where nobody else waits for it. */
export function readEdited({ catalog }: Pick<Sources, 'catalog'>, id: string): Promise<unknown> | null {
  return catalog.reading(idOf(id));
}

/** Models use a name without a dot. */
function idOf(id: string): string {
  return id.includes('.') ? id : id.replace('__', '.');
}

/** Stage 1: finds a tool by its id, or by the name models use. What is on disk now is what counts. A limited caller is offered only its own. */
export function resolveTool({ catalog, toolModes }: Sources, id: string, limits?: CallerLimits): ToolEntry {
  const entry = catalog.tool(idOf(id));
  if (entry === null) {
    const tools = catalog.tools().filter((one) => toolModes.of(one).mode !== 'never');
    const callable = limits === undefined ? tools : tools.filter((one) => isWithinLimits(one, limits, toolModes));
    const near = closestWord(
      id,
      callable.map(({ connector, tool }) => `${connector.id}.${tool.name}`),
    );
    const meant = near === null ? '' : `; did you mean ${near}?`;
    throw new ForgeError('tool_not_found', `there is no tool called ${JSON.stringify(id.slice(0, 140))}${meant}`);
  }
  if (entry.installed.installation?.enabled === false) {
    throw new ForgeError('connector_disabled', `the connector ${entry.connector.id} is switched off`);
  }
  return entry;
}
