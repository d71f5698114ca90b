import { capabilitiesOf, type Capabilities } from './capabilities.ts';
import { diffDefinitions, type DefinitionChange } from './definition-diff.ts';
import { definitionText, type Definition } from './definition.ts';

interface Change {
  added: string[];
  removed: string[];
}

interface ScriptChange {
  tool: string;
  kind: 'added' | 'removed' | 'changed';
  before: string;
  after: string;
}

type Listed = Exclude<keyof Capabilities, 'scripts'>;

/** What differs between two definitions: a summary a person reads first, and every single place. */
export interface CapabilityDiff extends Record<Listed, Change> {
  scripts: ScriptChange[];
  /** Every place that differs; effects first. */
  lines: DefinitionChange[];
  /** False only when the two definitions are equal. */
  changed: boolean;
  /** Something that is sent or run may differ, so that a person is asked before it is. */
  asks: boolean;
}

const NOTHING: Capabilities = {
  flows: [],
  hosts: [],
  sites: [],
  commands: [],
  scripts: {},
  secrets: [],
  destructive: [],
  risks: [],
  tools: [],
};

/** Compares two versions of a connector; `before` is null when nothing was accepted yet. */
export function diffCapabilities(before: Definition | null, after: Definition): CapabilityDiff {
  const old = before === null ? NOTHING : capabilitiesOf(before);
  const now = capabilitiesOf(after);
  const list = (key: Listed): Change => diffList(old[key], now[key]);
  const lines = diffDefinitions(before, after);
  return {
    flows: list('flows'),
    hosts: list('hosts'),
    sites: list('sites'),
    commands: list('commands'),
    secrets: list('secrets'),
    destructive: list('destructive'),
    risks: list('risks'),
    tools: list('tools'),
    scripts: diffScripts(old.scripts, now.scripts),
    lines,
    changed: before === null || definitionText(before) !== definitionText(after),
    asks: lines.some(({ weight }) => weight === 'effect'),
  };
}

function diffList(before: readonly string[], after: readonly string[]): Change {
  const [old, now] = [new Set(before), new Set(after)];
  return { added: after.filter((item) => !old.has(item)), removed: before.filter((item) => !now.has(item)) };
}

function diffScripts(before: Record<string, string>, after: Record<string, string>): ScriptChange[] {
  const tools = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return tools.flatMap((tool): ScriptChange[] => {
    const old = Object.hasOwn(before, tool) ? before[tool] : undefined;
    const now = Object.hasOwn(after, tool) ? after[tool] : undefined;
    if (old === now) return [];
    const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    return [{ tool, kind, before: old ?? '', after: now ?? '' }];
  });
}
