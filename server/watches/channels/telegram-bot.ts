import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import { isRecord } from '../../../shared/json.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import { clipText, clipWords } from '../../results/cut-text.ts';
import type { HttpRequest, Runner } from '../../runners/job.ts';
import { Refusal } from './channel.ts';
import type { ChannelSettings } from './channel-settings.ts';
import { sendJson } from './post-json.ts';

interface BotDeps {
  http: Runner<HttpRequest>;
  choices: ChannelSettings['choices'];
}

/** Something that was said to the bot, in a chat. */
export interface BotMessage {
  updateId: number;
  chatId: string;
  chatName: string;
  text: string;
}

export type TelegramBot = ReturnType<typeof createTelegramBot>;

/** It becomes part of an address. */
const TOKEN = /^\d+:[\w-]+$/;
const MAX_TEXT = 4096;
const MAX_NAME = 100;
const DAY_MS = 86_400_000;
const TOKEN_HINT = `Save the token that @BotFather gave you: ${FORGE} watch channels --secret telegram_token`;

/** Telegram's Bot API, as far as Forge speaks it. Everything is asked under the rules for every request of Forge's. */
export function createTelegramBot({ http, choices }: BotDeps) {
  const ask = async (method: string, parameters: object, signal: StopSignal): Promise<unknown> => {
    const { telegramToken, telegramUrl } = choices();
    if (!TOKEN.test(telegramToken)) {
      const problem = telegramToken === '' ? 'no Telegram bot token is saved' : 'the Telegram bot token is none';
      throw new ForgeError('setting_missing', problem, { hint: TOKEN_HINT });
    }
    const url = `${telegramUrl.replace(/\/+$/, '')}/bot${telegramToken}/${method}`;
    const { status, body } = await sendJson(http, { url, body: JSON.stringify(parameters) }, signal);
    const answer = parsed(body);
    if (status === 200 && answer['ok'] === true) return answer['result'];
    throw refusal(status, answer);
  };

  return {
    isSetUp: (): boolean => choices().telegramToken !== '',
    /** The name under which people find it. */
    async username(signal: StopSignal): Promise<string> {
      const me = await ask('getMe', {}, signal);
      return isRecord(me) ? textOf(me['username']) : '';
    },
    async send(chatId: string, text: string, signal: StopSignal): Promise<void> {
      await ask('sendMessage', { chat_id: Number(chatId), text: clipText(text, MAX_TEXT) }, signal);
    },
    /** What was said to the bot from an update on; those before it are forgotten there. */
    async messages(from: number, signal: StopSignal): Promise<BotMessage[]> {
      const updates = await ask('getUpdates', { offset: from, timeout: 0 }, signal);
      return Array.isArray(updates) ? updates.flatMap(messageOf) : [];
    },
  };
}

/** A group that has become a supergroup has another id from then on; the old one is never answered again. */
export class ChatMoved extends Refusal {
  readonly chatId: string;

  constructor(chatId: string) {
    super('upstream_error', 'the Telegram group has become a supergroup', 0);
    this.chatId = chatId;
  }
}

function refusal(status: number, answer: Record<string, unknown>): ForgeError {
  const said = clipWords(textOf(answer['description']), 200);
  const more = isRecord(answer['parameters']) ? answer['parameters'] : {};
  const moved = more['migrate_to_chat_id'];
  if (typeof moved === 'number') return new ChatMoved(String(moved));
  if (status === 401 || status === 404)
    return new ForgeError('upstream_error', 'Telegram does not know the saved bot token', { hint: TOKEN_HINT });
  const problem = said === '' ? `Telegram answered with ${status}` : `Telegram says: ${said}`;
  const hint = 'Read what Telegram says; https://core.telegram.org/bots/api explains it.';
  // Blocked by the person, or no such chat: asking again does not help.
  if (status === 400 || status === 403) return new Refusal('upstream_error', problem, null, hint);
  const seconds = more['retry_after'];
  const againMs = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, DAY_MS) : 0;
  return new Refusal(status === 429 ? 'rate_limited' : 'upstream_error', problem, againMs, hint);
}

/** Anybody can write to a bot: whatever is not text in a chat counts only as seen. */
function messageOf(update: unknown): BotMessage[] {
  if (!isRecord(update) || typeof update['update_id'] !== 'number') return [];
  const message = isRecord(update['message']) ? update['message'] : {};
  const chat = isRecord(message['chat']) ? message['chat'] : {};
  const names = [chat['title'], [chat['first_name'], chat['last_name']].map(textOf).join(' '), chat['username']];
  return [
    {
      updateId: update['update_id'],
      chatId: Number.isSafeInteger(chat['id']) ? String(chat['id']) : '',
      chatName: clipText(names.map((name) => textOf(name).trim()).find((name) => name !== '') ?? 'a chat', MAX_NAME),
      text: textOf(message['text']),
    },
  ];
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    // Something in between has answered, and not Telegram.
    return {};
  }
}

/** One line of printable text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/[\p{C}\s]+/gu, ' ') : '';
}
