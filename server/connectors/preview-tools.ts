import type { ToolPreview } from '../../shared/install-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import { isCertainToRead } from '../../shared/manifest/certain-to-read.ts';
import type { Connector, ConnectorPackage, Tool } from '../../shared/manifest/connector.ts';
import { closestWord } from '../../shared/manifest/did-you-mean.ts';
import { toolId } from '../../shared/manifest/input-schema.ts';
import { modesFor } from '../../shared/manifest/tool-mode.ts';
import type { Modes, ToolModes } from './tool-modes.ts';

/** Refuses modes for tools that do not exist, and those that a tool cannot have. */
export function requireModes(pack: ConnectorPackage, modes: Modes): void {
  const tools = new Map(toolsIn(pack).map(({ connector, tool }) => [toolId(connector, tool), tool]));
  for (const [id, mode] of Object.entries(modes)) {
    const tool = tools.get(id);
    if (tool === undefined) {
      const near = closestWord(id, [...tools.keys()]);
      const meant = near === null ? '' : `; did you mean ${near}?`;
      throw new ForgeError('invalid_request', `${pack.id} has no tool ${JSON.stringify(id.slice(0, 140))}${meant}`);
    }
    if (!modesFor(tool).includes(mode))
      throw new ForgeError('invalid_request', `${id} is destructive, so it cannot be set to ${mode}`, {
        hint: `Set it to ask or never. A standing approval allows it for a number of calls, or for a while: \`${FORGE} approvals allow\`.`,
      });
  }
}

/** The tools that a person would get with a package, in the words of the install dialog. */
export function previewTools(
  pack: ConnectorPackage,
  current: ConnectorPackage | null,
  toolModes: Pick<ToolModes, 'modeIn'>,
): ToolPreview[] {
  const before = new Map(
    current === null ? [] : toolsIn(current).map((place) => [toolId(place.connector, place.tool), place]),
  );
  return toolsIn(pack).map(({ connector, tool }) => {
    const id = toolId(connector, tool);
    const was = before.get(id);
    const onlyReads = isCertainToRead(tool, connector);
    return {
      id,
      description: tool.description,
      destructive: tool.destructive,
      only_reads: onlyReads,
      by_claim: onlyReads && !isCertainToRead(tool, connector, () => false),
      mode: toolModes.modeIn(pack.id, id, tool),
      before: was === undefined ? null : { only_reads: isCertainToRead(was.tool, was.connector) },
    };
  });
}

function toolsIn(pack: ConnectorPackage): { connector: Connector; tool: Tool }[] {
  return pack.connectors.flatMap((connector) => Object.values(connector.tools).map((tool) => ({ connector, tool })));
}
