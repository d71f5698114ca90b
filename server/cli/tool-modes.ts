import type { Command } from 'commander';
import { TOOL_MODES, type ToolMode } from '../../shared/manifest/tool-mode.ts';
import type { ToolPreview } from '../../shared/install-api.ts';
import { safeLine, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** `--on`, `--ask` and `--never`, each with names of tools. */
export type ModeFlags = Partial<Record<ToolMode, string[]>>;
export type Modes = Record<string, ToolMode>;

const HELP: Record<ToolMode, string> = {
  on: 'tools that run when they are called',
  ask: 'tools that ask a person before each call',
  never: 'tools that nobody may call',
};

export function addModeOptions(command: Command, modes: readonly ToolMode[] = TOOL_MODES): Command {
  const collect = (text: string, before: string[] = []): string[] => [...before, ...text.split(',').filter(Boolean)];
  for (const mode of modes)
    command.option(`--${mode} <tools>`, `${HELP[mode]}: names separated by commas, or all`, collect);
  return command;
}

/** What the flags say, by tool id. A bundle's tools may need their connector's id in front. */
export function modesFrom(flags: ModeFlags, tools: readonly { id: string }[]): Modes {
  const modes: Modes = {};
  for (const mode of TOOL_MODES) {
    for (const name of flags[mode] ?? []) {
      for (const id of idsOf(name, tools)) {
        if (Object.hasOwn(modes, id))
          throw new UsageError(`${id} is named twice`, 'Give each tool one of --on, --ask and --never.');
        modes[id] = mode;
      }
    }
  }
  return modes;
}

function idsOf(name: string, tools: readonly { id: string }[]): string[] {
  const ids = tools.map(({ id }) => id);
  if (name === 'all') return ids;
  const found = ids.filter((id) => id === name || id.slice(id.indexOf('.') + 1) === name);
  if (found.length > 1) throw new UsageError(`${name} is the name of several tools`, `Use one of ${found.join(', ')}.`);
  // What is not a tool of it is the server's to say.
  return found.length === 0 ? [name] : found;
}

const CHANGES = 'changes things';
const READS = 'only reads, says its author';

/** The tools that a person decides about before they are installed: all of a new connector, only the news of an update. */
export function printToolModes({ out }: Terminal, tools: readonly ToolPreview[], modes: Modes): void {
  const news = tools.filter(({ only_reads, before }) => before?.only_reads !== only_reads);
  const groups: [string, ToolPreview[]][] = [
    [CHANGES, news.filter(({ only_reads }) => !only_reads)],
    [READS, news.filter(({ by_claim }) => by_claim)],
  ];
  for (const [title, listed] of groups) {
    if (listed.length > 0) out(`  ${title}`);
    for (const { id, mode, before } of listed)
      out(`    ${safeLine(id)}: ${modes[id] ?? mode}${before === null ? '' : wasOther(before)}`);
  }
}

function wasOther({ only_reads }: { only_reads: boolean }): string {
  return only_reads ? ' (only read before)' : ' (changed things before)';
}
