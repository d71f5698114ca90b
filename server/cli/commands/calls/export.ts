import type { Command } from 'commander';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ForgeError, isForgeError } from '../../../../shared/errors.ts';
import { withQuery } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { errorOf, parseAnswer, type Incoming } from '../../client.ts';
import { countOf } from '../../count-of.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readText } from '../../send-request.ts';
import { safeLine } from '../../terminal.ts';
import { addFilterOptions, filterOf, type FilterFlags } from './filter.ts';

const LINE_FEED = 10;

export function addExportCommand(group: Command, cli: Cli): void {
  const command = group
    .command('export')
    .description('the log as JSON Lines, oldest first')
    .argument('[file]', 'where to write it; standard output when left out');
  addFilterOptions(command)
    .addHelpText('after', examples('forge calls export calls.jsonl', 'forge calls export --failed | jq .message'))
    .action(
      cli.action((file: string | undefined, flags: FilterFlags) =>
        file === undefined ? toOutput(cli, flags) : toFile(cli, file, flags),
      ),
    );
}

async function toOutput(cli: Cli, flags: FilterFlags): Promise<ExitCode> {
  await exportTo(cli, flags, cli.io.stdout);
  return EXIT.ok;
}

/** Written beside the file and then put in its place, so that there is never half a log under its name. */
async function toFile(cli: Cli, file: string, flags: FilterFlags): Promise<ExitCode> {
  const part = `${file}.part`;
  try {
    // The log holds what was sent and what came back, which is nobody else's business.
    const target = createWriteStream(part, { mode: 0o600 });
    await once(target, 'open');
    const count = await exportTo(cli, flags, target);
    target.end();
    await finished(target);
    await rename(part, file);
    cli.terminal.out(`${cli.terminal.paint('green', '✓')} ${countOf(count, 'call')} in ${safeLine(file)}`);
    return EXIT.ok;
  } catch (cause) {
    await rm(part, { force: true });
    if (isForgeError(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ForgeError('disk_write_failed', `${file} cannot be written: ${reason}`, { cause });
  }
}

/** Answers how many calls there were. */
function exportTo(cli: Cli, flags: FilterFlags, target: Writable): Promise<number> {
  return useForge(cli, async ({ open }) => {
    const incoming = await open('GET', withQuery('/api/calls/export', filterOf(flags)));
    if (incoming.status >= 400) throw await refusal(incoming);
    let count = 0;
    for await (const chunk of incoming.chunks) {
      for (const byte of chunk) if (byte === LINE_FEED) count += 1;
      if (!target.write(chunk)) await once(target, 'drain');
    }
    return count;
  });
}

async function refusal({ status, chunks }: Incoming): Promise<ForgeError> {
  return errorOf(status, parseAnswer(status, await readText(chunks)));
}
