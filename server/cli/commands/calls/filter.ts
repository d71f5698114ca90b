import type { Command } from 'commander';
import type { CallFilter } from '../../api.ts';

export interface FilterFlags {
  tool?: string;
  failed?: boolean;
  search?: string;
}

/** The options that choose calls out of the log. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--tool <id>', 'only calls of this tool')
    .option('--failed', 'only calls that failed')
    .option('--search <text>', 'only calls with this text in their arguments, error or trace');
}

export function filterOf({ tool, failed, search }: FilterFlags): CallFilter {
  return {
    ...(tool === undefined ? {} : { tool }),
    ...(failed === true ? { outcome: 'error' as const } : {}),
    ...(search === undefined ? {} : { search }),
  };
}
