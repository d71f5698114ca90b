import type { Finding } from './diagnostic.ts';
import type { Manifest, ManifestPart } from './schema/manifest.ts';
import type { ManifestTool } from './schema/tool.ts';

/** What a rule may look at. Paths lead from the document's root, so that findings can be placed. */
export interface RuleContext {
  manifest: Manifest;
  /** The connector itself, or each part of a bundle. */
  parts: readonly PartView[];
  tools: readonly ToolView[];
  /** Files under tools/ that came with the manifest. */
  scripts: ReadonlyMap<string, string>;
  forgeVersion: string;
}

export interface PartView {
  part: Manifest | ManifestPart;
  path: readonly string[];
}

export interface ToolView {
  name: string;
  tool: ManifestTool;
  path: readonly string[];
  part: PartView;
}

/** A check of a well-shaped manifest: one concern, one file, one line in the linter's list. */
export type Rule = (context: RuleContext) => Iterable<Finding>;

export function ruleContext(
  manifest: Manifest,
  scripts: ReadonlyMap<string, string>,
  forgeVersion: string,
): RuleContext {
  const parts: PartView[] =
    manifest.connectors === undefined
      ? [{ part: manifest, path: [] }]
      : manifest.connectors.map((part, index) => ({ part, path: ['connectors', String(index)] }));
  const tools = parts.flatMap((view) =>
    Object.entries(view.part.tools ?? {}).map(([name, tool]) => ({
      name,
      tool,
      path: [...view.path, 'tools', name],
      part: view,
    })),
  );
  return { manifest, parts, tools, scripts, forgeVersion };
}

type Extra = Pick<Finding, 'hint' | 'at' | 'within'>;

export function failure(rule: string, path: readonly string[], message: string, extra: Extra = {}): Finding {
  return { severity: 'error', rule, path, message, ...extra };
}

export function suggest(rule: string, path: readonly string[], message: string, extra: Extra = {}): Finding {
  return { severity: 'info', rule, path, message, ...extra };
}

export function warning(rule: string, path: readonly string[], message: string, extra: Extra = {}): Finding {
  return { severity: 'warning', rule, path, message, ...extra };
}
