import { upstream, type Seen } from '../../testing/upstream.ts';

interface Chat {
  id: number;
  type: 'private' | 'group';
  title?: string;
  first_name?: string;
}

/** What the Bot API says no with. */
export class Refused extends Error {
  readonly status: number;
  readonly parameters: object | undefined;

  constructor(status: number, description: string, parameters?: object) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

const MAX_TEXT = 4096;

/** A server that answers as api.telegram.org does, for one bot, with what people say to it. */
export async function fakeTelegram(token: string) {
  const chats = new Map<number, Chat>();
  const blocked = new Set<number>();
  const sent: { chat_id: number; text: string }[] = [];
  let updates: { update_id: number; message: object }[] = [];
  let lastUpdate = 1000;
  const world = {
    sent,
    /** How often each method was asked for. */
    asked: [] as string[],
    hasWebhook: false,
    /** What the next messages are refused with, one after the other. */
    refusals: [] as Refused[],
  };

  const methods: Record<string, (parameters: Record<string, unknown>) => unknown> = {
    getMe: () => ({ id: 12, is_bot: true, first_name: 'Forge', username: 'forge_test_bot' }),
    getUpdates: ({ offset = 0 }) => {
      if (world.hasWebhook) throw new Refused(409, 'Conflict: can’t use getUpdates method while webhook is active');
      updates = updates.filter(({ update_id }) => update_id >= Number(offset));
      return updates;
    },
    sendMessage: ({ chat_id, text }) => {
      const refused = world.refusals.shift() ?? problemOf(chat_id, text);
      if (refused !== null) throw refused;
      sent.push({ chat_id: Number(chat_id), text: String(text) });
      return { message_id: sent.length, chat: chats.get(Number(chat_id)), date: 0, text };
    },
  };
  const problemOf = (chatId: unknown, text: unknown): Refused | null => {
    if (typeof chatId !== 'number' || !chats.has(chatId)) return new Refused(400, 'Bad Request: chat not found');
    if (blocked.has(chatId)) return new Refused(403, 'Forbidden: bot was blocked by the user');
    if (typeof text !== 'string' || text.trim() === '') return new Refused(400, 'Bad Request: message text is empty');
    return text.length > MAX_TEXT ? new Refused(400, 'Bad Request: message is too long') : null;
  };

  const answerOf = ({ url, body }: Seen): { status: number; answer: object } => {
    const [, bot, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url) ?? [];
    world.asked.push(method);
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    try {
      if (bot !== token) throw new Refused(401, 'Unauthorized');
      if (run === undefined) throw new Refused(404, 'Not Found');
      const result = run(JSON.parse(body) as Record<string, unknown>);
      return { status: 200, answer: { ok: true, result } };
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      const { status, message: description, parameters } = refused;
      return { status, answer: { ok: false, error_code: status, description, parameters } };
    }
  };
  const { url } = await upstream((seen, response) => {
    const { status, answer } = answerOf(seen);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });

  return Object.assign(world, {
    url,
    /** Somebody writes to the bot, which a chat must do first. */
    say: (chat: Chat, text: string): void => {
      chats.set(chat.id, chat);
      lastUpdate += 1;
      updates.push({ update_id: lastUpdate, message: { message_id: lastUpdate, date: 0, chat, text } });
    },
    block: (chatId: number): void => void blocked.add(chatId),
  });
}
