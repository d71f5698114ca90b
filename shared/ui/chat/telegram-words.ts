import type { TelegramState } from '../../telegram-api.ts';

/** What came of the last step, where the state alone does not tell. */
export type TelegramNote = 'not-come' | 'ran-out' | 'unlinked' | null;

/** `none`: there is a bot, and neither a chat nor a code. */
export function telegramStage({ ready, chat, waiting }: TelegramState): 'waiting' | 'linked' | 'no-bot' | 'none' {
  if (ready && waiting !== null) return 'waiting';
  if (chat !== null) return 'linked';
  return ready ? 'none' : 'no-bot';
}

/** A code that was out is gone, and has linked nothing. */
export function hasRunOut(before: TelegramState | null, now: TelegramState): boolean {
  const isGone = (before?.waiting ?? null) !== null && now.waiting === null;
  return isGone && before?.chat?.linked_at === now.chat?.linked_at;
}

/** Where things stand, in a sentence or two. */
export function telegramWords(state: TelegramState, note: TelegramNote): string {
  const { ready, chat } = state;
  switch (telegramStage(state)) {
    case 'waiting':
      return note === 'not-come' ? 'The code has not come yet.' : 'Waiting for the code…';
    case 'linked': {
      const name = `“${chat?.name ?? ''}” on Telegram`;
      if (!ready) return `Reports of this conversation are for ${name}, but no bot token is saved to send them with.`;
      if (note === 'ran-out') return `The code is no longer good. Reports go to ${name} as before.`;
      return `Reports of this conversation go to ${name}.`;
    }
    case 'no-bot':
      return 'No Telegram bot is set up yet. Save the token of one first.';
    case 'none':
      if (note === 'unlinked') return 'Reports of this conversation no longer go to Telegram.';
      return note === 'ran-out' ? 'The code is no longer good, and no chat was linked.' : 'No chat is linked.';
  }
}
