import { reportText } from '../../../shared/report-text.ts';
import { SERVER_RETRY_MS, type Channel } from './channel.ts';
import { ChatMoved, type TelegramBot } from './telegram-bot.ts';

/** What the channel needs to know of conversations. */
interface Conversations {
  /** The Telegram chat that a conversation is linked with, or null. */
  telegramChat(sessionId: string): string | null;
  /** A chat has another id from now on. */
  chatMoved(from: string, to: string): void;
}

interface TelegramDeps {
  bot: TelegramBot;
  conversations: Conversations;
}

/** A conversation that is linked with a Telegram chat is answered there (C-132). Off unless a bot token is saved. */
export function telegramChannel({ bot, conversations }: TelegramDeps): Channel {
  const chatOf = (sessionId: string | null) => (sessionId === null ? null : conversations.telegramChat(sessionId));
  return {
    name: 'telegram',
    retryMs: SERVER_RETRY_MS,
    takes: ({ sessionId }) => bot.isSetUp() && chatOf(sessionId) !== null,
    async send({ sessionId, ...report }, signal) {
      const chatId = chatOf(sessionId);
      if (chatId === null) return;
      try {
        await bot.send(chatId, reportText(report), signal);
      } catch (error) {
        if (error instanceof ChatMoved) conversations.chatMoved(chatId, error.chatId);
        throw error;
      }
    },
  };
}
