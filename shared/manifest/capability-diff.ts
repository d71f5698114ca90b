import type { Capabilities } from './capabilities.ts';

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

interface ParameterChange extends Change {
  tool: string;
}

/** What an update changes in what a connector can reach and run. */
export interface CapabilityDiff {
  hosts: Change;
  sites: Change;
  commands: Change;
  secrets: Change;
  destructive: Change;
  risks: Change;
  tools: Change;
  scripts: ScriptChange[];
  parameters: ParameterChange[];
  /** False when nothing a person would have to look at has changed. */
  changed: boolean;
}

/** Compares two versions of a connector; `before` is null for a first install. */
export function diffCapabilities(before: Capabilities | null, after: Capabilities): CapabilityDiff {
  const old: Capabilities = before ?? {
    hosts: [],
    sites: [],
    commands: [],
    scripts: {},
    secrets: [],
    parameters: {},
    destructive: [],
    risks: [],
  };
  const lists = {
    hosts: diffList(old.hosts, after.hosts),
    sites: diffList(old.sites, after.sites),
    commands: diffList(old.commands, after.commands),
    secrets: diffList(old.secrets, after.secrets),
    destructive: diffList(old.destructive, after.destructive),
    risks: diffList(old.risks, after.risks),
    tools: diffList(Object.keys(old.parameters), Object.keys(after.parameters)),
  };
  const scripts = diffScripts(old.scripts, after.scripts);
  const parameters = Object.entries(after.parameters)
    .filter(([tool]) => Object.hasOwn(old.parameters, tool))
    .map(([tool, list]) => ({ tool, ...diffList(old.parameters[tool] ?? [], list) }))
    .filter(isChange);
  const changed = Object.values(lists).some(isChange) || scripts.length > 0 || parameters.length > 0;
  return { ...lists, scripts, parameters, changed };
}

type Reached = 'hosts' | 'sites' | 'commands' | 'secrets' | 'risks' | 'destructive';

/** True when there is something new to say yes to. Less is never a question; a tool that no longer asks before it changes something is. */
export function reachesFurther(diff: Record<Reached, Change> & { scripts: readonly { kind: string }[] }): boolean {
  const { hosts, sites, commands, secrets, risks, destructive, scripts } = diff;
  const isMore = [hosts, sites, commands, secrets, risks].some(({ added }) => added.length > 0);
  return isMore || destructive.removed.length > 0 || scripts.some(({ kind }) => kind !== 'removed');
}

function isChange(change: Change): boolean {
  return change.added.length > 0 || change.removed.length > 0;
}

function diffList(before: readonly string[], after: readonly string[]): Change {
  return {
    added: after.filter((item) => !before.includes(item)),
    removed: before.filter((item) => !after.includes(item)),
  };
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
