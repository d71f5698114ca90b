import { clipText } from '../../results/cut-text.ts';
import type { HttpRequest, Runner } from '../../runners/job.ts';
import { SERVER_RETRY_MS, type Channel } from './channel.ts';
import type { ChannelSettings } from './channel-settings.ts';
import { postJson } from './post-json.ts';

/** What the channel needs to know of conversations. */
interface Conversations {
  /** The Telegram chat a conversation came over, or null. */
  telegramChat(sessionId: string): string | null;
}

interface TelegramDeps {
  http: Runner<HttpRequest>;
  choices: ChannelSettings['choices'];
  conversations: Conversations;
}

const MAX_TEXT = 4096;

/** A conversation that came over Telegram is answered there (C-132). Off unless a bot token is saved. */
export function telegramChannel({ http, choices, conversations }: TelegramDeps): Channel {
  const chatOf = (sessionId: string | null) => (sessionId === null ? null : conversations.telegramChat(sessionId));
  return {
    name: 'telegram',
    retryMs: SERVER_RETRY_MS,
    takes: ({ sessionId }) => choices().telegramToken !== '' && chatOf(sessionId) !== null,
    async send({ sessionId, text }, signal) {
      const { telegramToken, telegramUrl } = choices();
      const chat_id = chatOf(sessionId);
      if (telegramToken === '' || chat_id === null) return;
      const url = `${telegramUrl.replace(/\/+$/, '')}/bot${telegramToken}/sendMessage`;
      await postJson(http, { url, body: JSON.stringify({ chat_id, text: clipText(text, MAX_TEXT) }) }, signal);
    },
  };
}
