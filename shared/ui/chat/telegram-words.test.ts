import { describe, expect, it } from 'vitest';
import type { TelegramState } from '../../telegram-api.ts';
import { hasRunOut, telegramStage, telegramWords, type TelegramNote } from './telegram-words.ts';

const chat = { name: 'Anna', linked_at: '2026-01-02T03:04:05.000Z' };
const waiting = { code: 'c', link: 'https://t.me/b?start=c', expires_at: '2026-01-02T03:14:05.000Z' };
const state = (given: Partial<TelegramState> = {}): TelegramState => ({
  ...{ ready: true, chat: null, waiting: null },
  ...given,
});

describe('K-15 linking a conversation with Telegram, in words', () => {
  const table: [Partial<TelegramState>, TelegramNote, ReturnType<typeof telegramStage>, string][] = [
    [{ ready: false }, null, 'no-bot', 'No Telegram bot is set up yet. Save the token of one first.'],
    [{ ready: false, waiting }, null, 'no-bot', 'No Telegram bot is set up yet. Save the token of one first.'],
    [{ waiting }, null, 'waiting', 'Waiting for the code…'],
    [{ waiting, chat }, 'not-come', 'waiting', 'The code has not come yet.'],
    [{ chat }, null, 'linked', 'Reports of this conversation go to “Anna” on Telegram.'],
    [{ chat }, 'ran-out', 'linked', 'The code is no longer good. Reports go to “Anna” on Telegram as before.'],
    [
      { ready: false, chat },
      null,
      'linked',
      'Reports of this conversation are for “Anna” on Telegram, but no bot token is saved to send them with.',
    ],
    [{}, 'unlinked', 'none', 'Reports of this conversation no longer go to Telegram.'],
    [{}, 'ran-out', 'none', 'The code is no longer good, and no chat was linked.'],
    [{}, null, 'none', 'No chat is linked.'],
  ];
  it.each(table)('%j, %s: %s', (given, note, stage, words) => {
    expect([telegramStage(state(given)), telegramWords(state(given), note)]).toEqual([stage, words]);
  });

  it('tells a code that was used from one that ran out', () => {
    const later = { ...chat, linked_at: '2026-02-02T00:00:00.000Z' };
    expect(hasRunOut(null, state())).toBe(false);
    expect(hasRunOut(state({ waiting }), state({ waiting }))).toBe(false);
    expect(hasRunOut(state({ waiting }), state())).toBe(true);
    expect(hasRunOut(state({ waiting }), state({ chat }))).toBe(false);
    expect(hasRunOut(state({ waiting, chat }), state({ chat }))).toBe(true);
    expect(hasRunOut(state({ waiting, chat }), state({ chat: later }))).toBe(false);
  });
});
