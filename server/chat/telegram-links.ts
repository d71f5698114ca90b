import { randomBytes } from 'node:crypto';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { Stop, type StopSignal } from '../../shared/stop-signal.ts';
import type { TelegramState } from '../../shared/telegram-api.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { BotMessage, TelegramBot } from '../watches/channels/telegram-bot.ts';
import { createSessions } from './sessions.ts';

interface LinksDeps {
  db: Database;
  events: EventBus;
  bot: TelegramBot;
  now: () => number;
}

/** A code that a conversation waits for. Only who has it and sends it from a chat can link that chat. */
interface Waiting {
  code: string;
  link: string;
  expiresAt: number;
}

export type TelegramLinks = ReturnType<typeof createTelegramLinks>;

const CODE_MS = 10 * 60_000;
const CODE = /^(?:\/start(?:@\w+)? )?([\w-]{16})$/;

/** Which conversations are those of a Telegram chat, and how they become that. */
export function createTelegramLinks({ db, events, bot, now }: LinksDeps) {
  const sessions = createSessions(db, () => new Date(now()));
  const { bySession, put, drop, move } = statements(db);
  const waiting = new Map<string, Waiting>();
  /** Why the chat that sent a conversation's code could not be written to. */
  const refusals = new Map<string, ForgeError>();
  const stop = new Stop();
  let nextUpdate = 0;
  let looking: Promise<void> | null = null;
  const change = changer(db, events);

  const waitingOf = (sessionId: string): Waiting | null => {
    const found = waiting.get(sessionId);
    if (found !== undefined && found.expiresAt > now()) return found;
    waiting.delete(sessionId);
    return null;
  };

  const state = (sessionId: string): TelegramState => {
    sessions.require(sessionId);
    return {
      ready: bot.isSetUp(),
      chat: shownChat(bySession.get(sessionId)),
      waiting: shownCode(waitingOf(sessionId)),
    };
  };

  /** The chat is told first: one that cannot be written to is no use. */
  const link = async ({ chatId, chatName, text }: BotMessage, signal: StopSignal): Promise<void> => {
    const code = CODE.exec(text.trim())?.[1];
    const sessionId = [...waiting.keys()].find((id) => code !== undefined && waitingOf(id)?.code === code);
    const session = sessionId === undefined || chatId === '' ? null : sessions.find(sessionId);
    if (session === null) return;
    const name = session.title === '' ? 'a conversation' : `“${session.title}”`;
    try {
      await bot.send(chatId, `This chat gets the reports of ${name} in Forge from now on.`, signal);
    } catch (error) {
      if (!isForgeError(error)) throw error;
      refusals.set(session.id, error);
      return;
    }
    // It may have been deleted, or the code taken back, in the meantime.
    if (sessions.find(session.id) === null || waitingOf(session.id)?.code !== code) return;
    change(session.id, () => put.run(session.id, chatId, chatName, new Date(now()).toISOString()));
    waiting.delete(session.id);
  };

  const look = async (signal: StopSignal): Promise<void> => {
    for (const message of await bot.messages(nextUpdate, signal)) {
      // Counts as seen whatever comes of it: a chat that cannot be answered must not keep the others from being linked.
      nextUpdate = message.updateId + 1;
      await link(message, signal);
    }
  };

  return {
    state,
    telegramChat: (sessionId: string): string | null => {
      const row = bySession.get(sessionId);
      return row === undefined ? null : String(row['chat_id']);
    },
    chatMoved: (from: string, to: string): void => void move.run(to, from),
    /** Makes a code for a conversation; an earlier one is no longer good. */
    async begin(sessionId: string, signal: StopSignal): Promise<TelegramState> {
      sessions.require(sessionId);
      const username = await bot.username(signal);
      if (!/^\w+$/.test(username))
        throw new ForgeError('upstream_error', 'Telegram does not say what the bot is called');
      // The bot may be another one than before, with numbers of its own.
      nextUpdate = 0;
      refusals.delete(sessionId);
      const code = randomBytes(12).toString('base64url');
      waiting.set(sessionId, { code, link: `https://t.me/${username}?start=${code}`, expiresAt: now() + CODE_MS });
      return state(sessionId);
    },
    /** Looks whether a code has come. */
    async confirm(sessionId: string): Promise<TelegramState> {
      if (state(sessionId).waiting === null) return state(sessionId);
      // Telegram wants to be asked by one at a time; whoever waits along must not be left when the first one leaves.
      looking ??= look(stop).finally(() => (looking = null));
      await looking;
      throwOnce(refusals, sessionId);
      return state(sessionId);
    },
    remove(sessionId: string): void {
      sessions.require(sessionId);
      waiting.delete(sessionId);
      if (bySession.get(sessionId) !== undefined) change(sessionId, () => drop.run(sessionId));
    },
    close: (): void => stop.abort(new ForgeError('shutting_down', 'Forge is stopping')),
  };
}

function throwOnce(refusals: Map<string, ForgeError>, sessionId: string): void {
  const refusal = refusals.get(sessionId);
  refusals.delete(sessionId);
  if (refusal !== undefined) throw refusal;
}

function shownChat(row: Row | undefined): TelegramState['chat'] {
  return row === undefined ? null : { name: String(row['chat_name']), linked_at: String(row['linked_at']) };
}

function shownCode(asked: Waiting | null): TelegramState['waiting'] {
  if (asked === null) return null;
  return { code: asked.code, link: asked.link, expires_at: new Date(asked.expiresAt).toISOString() };
}

function statements(db: Database) {
  return {
    bySession: db.prepare('SELECT chat_id, chat_name, linked_at FROM telegram_links WHERE session_id = ?'),
    put: db.prepare('INSERT OR REPLACE INTO telegram_links VALUES (?, ?, ?, ?)'),
    drop: db.prepare('DELETE FROM telegram_links WHERE session_id = ?'),
    move: db.prepare('UPDATE telegram_links SET chat_id = ? WHERE chat_id = ?'),
  };
}

/** A conversation is of another origin then, which whoever shows it wants to know. */
function changer(db: Database, events: EventBus) {
  return (sessionId: string, work: () => unknown): void => {
    transaction(db, () => {
      work();
      events.append({ type: 'chat.session', session_id: sessionId, change: 'changed' });
    });
    events.deliver();
  };
}
