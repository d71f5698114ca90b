import type { ConnectorPackage } from '../../../shared/manifest/connector.ts';
import type { Catalog } from '../../connectors/catalog.ts';
import type { ToolModes } from '../../connectors/tool-modes.ts';
import { isWithinLimits, type CallerLimits } from '../caller-limits.ts';
import { CATALOGUE_TOOLS, READING_CATALOGUE_TOOLS, RESULT_TOOL } from './builtin-definitions.ts';
import { instructionsFor } from './instructions.ts';
import { toolTexts, type ToolSources, type ToolText } from './tool-text.ts';

/** What decides which tools a client sees, and how. */
export interface Scope {
  limits?: CallerLimits | undefined;
  /** Connectors whose tools it wants one by one. */
  connectors: readonly string[];
}

export interface ToolView {
  /** The answer to tools/list, as JSON text. */
  json: string;
  instructions: string;
  /** Every tool this client may call, listed or not. */
  tools: readonly ToolText[];
  /** Tools that are offered to nobody; a caller that remembers one is told why. */
  never: readonly ToolText[];
  byName: ReadonlyMap<string, ToolText>;
}

interface Kept {
  /** What the view was made of: the texts of a package are the same object until it or a decision about it changes. */
  parts: readonly (readonly ToolText[])[];
  view: ToolView;
}

/** There are as many scopes as there are kinds of clients; whoever makes up more of them only makes Forge work harder. */
const MAX_KEPT = 64;

export type ToolViews = ReturnType<typeof createToolViews>;

/** The lists of tools that clients see, written again only when a connector, or what was set up for it, has changed. */
export function createToolViews(
  { catalog, ...sources }: ToolSources & { catalog: Pick<Catalog, 'list'> },
  maxTools: number,
) {
  const kept = new Map<string, Kept>();

  const look = (scope: Scope): ToolView => {
    const parts = enabledPackages(catalog).map((pack) => toolTexts(pack, sources));
    const key = keyOf(scope);
    const known = kept.get(key);
    if (known !== undefined && isSame(known.parts, parts)) return known.view;
    const [oldest] = kept.keys();
    if (known === undefined && oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
    const view = makeView(parts, scope, sources.toolModes, maxTools);
    kept.set(key, { parts, view });
    return view;
  };

  return {
    /** As the connectors are now. */
    look,
    /** As the client saw it last, without looking at any file. */
    last: (scope: Scope): ToolView => kept.get(keyOf(scope))?.view ?? look(scope),
  };
}

/** Most clients see everything, and each of their calls asks. */
function keyOf({ limits, connectors }: Scope): string {
  return limits === undefined && connectors.length === 0 ? '' : JSON.stringify([limits ?? null, connectors]);
}

function enabledPackages(catalog: Pick<Catalog, 'list'>): ConnectorPackage[] {
  return catalog
    .list()
    .flatMap(({ package: pack, installation }) => (pack === null || installation?.enabled === false ? [] : [pack]));
}

function makeView(parts: Kept['parts'], scope: Scope, toolModes: Pick<ToolModes, 'of'>, maxTools: number): ToolView {
  const { limits, connectors } = scope;
  const all = parts.flat().filter((text) => limits === undefined || isWithinLimits(text, limits, toolModes));
  const tools = all.filter(({ mode }) => mode !== 'never');
  const byName = new Map<string, ToolText>();
  // Two connectors may come to one name, as `a` with `b__c` and `a__b` with `c` do; the second one is called by its id.
  for (const text of tools) if (!byName.has(text.name)) byName.set(text.name, text);
  const isListed = ({ connector, package: pack }: ToolText): boolean =>
    connectors.length > 0
      ? connectors.includes(connector.id) || connectors.includes(pack.id)
      : tools.length <= maxTools;
  const rest = tools.filter((text) => !isListed(text));
  const finders = limits?.readOnly === true ? READING_CATALOGUE_TOOLS : CATALOGUE_TOOLS;
  const listed = tools.filter((text) => isListed(text) && byName.get(text.name) === text).map(({ json }) => json);
  const entries = [...listed, ...(rest.length === 0 ? [] : finders), RESULT_TOOL];
  return {
    json: `{"tools":[${entries.join(',')}]}`,
    instructions: instructionsFor(rest),
    tools,
    never: all.filter(({ mode }) => mode === 'never'),
    byName,
  };
}

function isSame(some: Kept['parts'], others: Kept['parts']): boolean {
  return some.length === others.length && some.every((texts, index) => texts === others[index]);
}
