import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { DoctorFlags } from '../doctor/doctor.ts';
import { examples } from '../examples.ts';

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('find out what is wrong; changes nothing unless asked to')
    .option('--json', 'print the findings as JSON')
    .option('--set-aside-database', 'move a damaged database out of the way (it is kept) and start with an empty one')
    .addHelpText('after', examples('forge doctor', 'forge doctor --set-aside-database'))
    .action(
      cli.action(async (flags: DoctorFlags) => {
        const { doctor } = await import('../doctor/doctor.ts');
        return doctor(cli, flags);
      }),
    );
}
