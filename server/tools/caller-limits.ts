import { ForgeError } from '../../shared/errors.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';

/** What a caller may call; nothing else about it counts. */
export interface CallerLimits {
  /** Connectors by id, or bundles by theirs; null is all of them. */
  connectors: readonly string[] | null;
  readOnly: boolean;
}

type Limited = Pick<ToolEntry, 'package' | 'connector' | 'tool'>;
type Choices = Pick<ToolModes, 'of'>;

/** Whether a caller with these limits may call this tool, and so may know of it. */
export function isWithinLimits(entry: Limited, limits: CallerLimits, toolModes: Choices): boolean {
  return isListed(entry, limits) && (!limits.readOnly || toolModes.of(entry).onlyReads);
}

/** Whether a caller may read what came from these connectors; what came from nobody knows where is for unlimited ones. */
export function mayReadFrom(origin: readonly string[], limits: CallerLimits | undefined): boolean {
  const allowed = limits?.connectors ?? null;
  return allowed === null || origin.some((id) => allowed.includes(id));
}

/** For a limited caller, as soon as the tool is known: it is told that it may not, whatever it was shown before. */
export function requireWithinLimits(entry: Limited, limits: CallerLimits | undefined, toolModes: Choices): void {
  if (limits === undefined || isWithinLimits(entry, limits, toolModes)) return;
  const { connector, tool } = entry;
  const why = isListed(entry, limits) ? 'it may only read' : 'this connector is not for it';
  throw new ForgeError('client_not_allowed', `this client may not call ${connector.id}.${tool.name}: ${why}`);
}

function isListed({ package: pack, connector }: Limited, { connectors }: CallerLimits): boolean {
  return connectors === null || connectors.includes(connector.id) || connectors.includes(pack.id);
}
