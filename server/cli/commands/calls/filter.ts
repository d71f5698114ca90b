import type { Command } from 'commander';
import type { CallFilter } from '../../api.ts';
import { readTime } from '../../read-time.ts';

export interface FilterFlags {
  tool?: string;
  connector?: string;
  caller?: string;
  since?: string;
  until?: string;
  failed?: boolean;
  search?: string;
}

/** The options that choose calls out of the log. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--tool <id>', 'only calls of this tool')
    .option('--connector <id>', 'only calls of tools of this connector')
    .option('--caller <name>', 'only calls of this client')
    .option('--since <time>', 'only calls from this day or time on')
    .option('--until <time>', 'only calls through this day, or before this time')
    .option('--failed', 'only calls that failed')
    .option('--search <text>', 'only calls with this text in their arguments, error or trace');
}

export function filterOf({ tool, connector, caller, since, until, failed, search }: FilterFlags): CallFilter {
  return {
    ...(tool === undefined ? {} : { tool }),
    ...(connector === undefined ? {} : { connector }),
    ...(caller === undefined ? {} : { caller }),
    ...(since === undefined ? {} : { since: readTime('--since', since, 'start') }),
    ...(until === undefined ? {} : { until: readTime('--until', until, 'end') }),
    ...(failed === true ? { outcome: 'error' as const } : {}),
    ...(search === undefined ? {} : { search }),
  };
}
