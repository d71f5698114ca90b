import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ForgeApi } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { stopSignal } from '../../stop-signal.ts';
import { safeLine } from '../../terminal.ts';

const LOOK_MS = 2000;

export function addTelegramCommand(group: Command, cli: Cli): void {
  group
    .command('telegram')
    .description('send the reports of a conversation to a Telegram chat')
    .argument('<conversation>', 'its id, which the address of the conversation ends in')
    .option('--remove', 'send them there no longer')
    .addHelpText('after', EXAMPLES)
    .action(
      cli.action((id: string, { remove = false }: { remove?: boolean }) =>
        useForge(cli, ({ api }) => (remove ? unlink(cli, api, id) : link(cli, api, id))),
      ),
    );
}

/** Only whoever reads the code here can link a chat, by sending it from there. */
async function link({ terminal, io }: Cli, api: ForgeApi, id: string): Promise<ExitCode> {
  let state = await api.beginTelegram(id);
  const before = state.chat?.linked_at;
  if (state.waiting !== null) {
    terminal.out(`Open ${safeLine(state.waiting.link)} on the device with Telegram, and press Start.`);
    terminal.out(`For a group: add the bot to it, and write there: /start ${safeLine(state.waiting.code)}`);
  }
  const { signal, dispose } = stopSignal(io);
  try {
    for (;;) {
      state = await api.confirmTelegram(id);
      if (state.waiting === null || signal.aborted) break;
      // A wait that is given up ends at once.
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    dispose();
  }
  // A chat that was linked before stays so when the code does not come.
  const isLinked = state.chat !== null && state.chat.linked_at !== before;
  terminal.out(
    isLinked
      ? `${terminal.paint('green', '✓')} reports go to ${safeLine(state.chat?.name ?? '')}`
      : 'The code has not come, and no chat was linked.',
  );
  return isLinked ? EXIT.ok : EXIT.failed;
}

async function unlink({ terminal }: Cli, api: ForgeApi, id: string): Promise<ExitCode> {
  await api.unlinkTelegram(id);
  terminal.out('Reports of this conversation no longer go to Telegram.');
  return EXIT.ok;
}

const EXAMPLES = examples('forge watch telegram sess_4f9a2e1b8c3d', 'forge watch telegram sess_4f9a2e1b8c3d --remove');
