import { describe, expect, it } from 'vitest';
import { fakeLlm } from '../execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../execution/testing/fake-llm/script.ts';
import { filesBelow, findCanaries } from '../testing/canaries.ts';
import { fakeTelegram, Refused } from '../watches/testing/fake-telegram.ts';
import { watchWorld, type WatchWorld } from '../watches/testing/watch-world.ts';
import { chatClient } from './testing/chat-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_done: { message: 'Build {poll.build}.' } }`;
const TOKEN = '110201543:canary-telegram_token1';
const ANNA = { id: 4711, type: 'private', first_name: 'Anna' } as const;
const STRANGER = { id: 6666, type: 'private', first_name: 'Mallory' } as const;

/** A Forge with a bot, and a conversation. */
async function telegramWorld(token = TOKEN, env: Record<string, string> = {}) {
  const bot = await fakeTelegram(TOKEN);
  const world = await watchWorld(BLOCK, '', env);
  world.service.answer = () => ({ done: true, build: 7 });
  const values = { telegram_token: token, telegram_url: `${bot.url}/`, desktop: false };
  expect((await world.forge.request('PUT', '/api/watches/channels', { values })).status).toBe(200);
  const id = await chatClient(world.forge).newSession();
  return Object.assign(world, { bot, id, ...client(world, id) });
}

function client(world: WatchWorld, id: string) {
  const at = `/api/chat/sessions/${id}/telegram`;
  const send = (method: string, more = '') => world.forge.request(method, at + more);
  return {
    send,
    begin: async (): Promise<string> => (await send('POST')).body.waiting.code,
    confirm: async () => (await send('POST', '/confirm')).body,
    /** Starts a job in the conversation, lets it end, and answers what became of the report on its way. */
    report: async () => {
      const { watch_id } = await world.start({}, { session_id: id });
      await world.pass(60);
      return async () => (await world.watch(watch_id)).reports[0].deliveries;
    },
  };
}

async function linked(env: Record<string, string> = {}) {
  const world = await telegramWorld(TOKEN, env);
  world.bot.say(ANNA, `/start ${await world.begin()}`);
  expect((await world.confirm()).chat).toMatchObject({ name: 'Anna' });
  world.bot.sent.length = 0;
  return world;
}

describe('C-132 K-15 linking a conversation with a Telegram chat', () => {
  it('takes the code that only the person has, from the chat that is meant', async () => {
    const { bot, send, confirm, report } = await telegramWorld();
    expect((await send('GET')).body).toEqual({ ready: true, chat: null, waiting: null });
    const { status, body } = await send('POST');
    expect([status, body]).toEqual([
      201,
      {
        ...{ ready: true, chat: null },
        waiting: {
          code: expect.stringMatching(/^[\w-]{16}$/),
          link: `https://t.me/forge_test_bot?start=${body.waiting.code}`,
          expires_at: expect.stringMatching(/Z$/),
        },
      },
    ]);
    bot.say(STRANGER, '/start AAAAAAAAAAAAAAAA');
    bot.say(STRANGER, 'hello');
    expect(await confirm()).toEqual(body);
    bot.say(ANNA, `/start ${body.waiting.code}`);
    bot.say(STRANGER, `/start ${body.waiting.code}`);
    expect(await confirm()).toMatchObject({ chat: { name: 'Anna' }, waiting: null });
    expect(bot.sent).toEqual([
      { chat_id: 4711, text: 'This chat gets the reports of a conversation in Forge from now on.' },
    ]);
    // The code was good once.
    bot.say(STRANGER, body.waiting.code);
    expect((await confirm()).chat).toMatchObject({ name: 'Anna' });
    const deliveries = await report();
    expect(bot.sent.slice(1)).toEqual([{ chat_id: 4711, text: 'Build 7.' }]);
    expect(await deliveries()).toEqual([{ channel: 'telegram', state: 'sent', attempts: 1, problem: null }]);
    // Unlinked again.
    expect((await send('DELETE')).status).toBe(204);
    expect(await (await report())()).toEqual([]);
    expect(bot.sent).toHaveLength(2);
  });

  it('sees the messages of another bot, whose numbers begin again', async () => {
    const { bot, forge, begin, confirm } = await telegramWorld();
    for (const _ of [1, 2, 3]) bot.say(STRANGER, 'hello');
    await begin();
    await confirm();
    const other = await fakeTelegram(TOKEN);
    const values = { telegram_token: TOKEN, telegram_url: `${other.url}/`, desktop: false };
    expect((await forge.request('PUT', '/api/watches/channels', { values })).status).toBe(200);
    other.say(ANNA, await begin());
    expect((await confirm()).chat).toMatchObject({ name: 'Anna' });
  });

  it('that cannot be written to is told to its own conversation alone', async () => {
    const world = await telegramWorld();
    const other = client(world, await chatClient(world.forge).newSession());
    const [code] = [await world.begin(), await other.begin()];
    world.bot.say(ANNA, code);
    world.bot.block(ANNA.id);
    const [refused, waits] = await Promise.all([world.send('POST', '/confirm'), other.send('POST', '/confirm')]);
    expect([refused.status, waits.status]).toEqual([502, 200]);
    expect(waits.body).toMatchObject({ chat: null, waiting: { code: expect.any(String) } });
  });

  it('makes it a conversation of Telegram for as long, and tells whoever shows it', async () => {
    const { bot, forge, id, begin, confirm, send } = await telegramWorld();
    const told: object[] = [];
    forge.services.events.listen(({ event }) => told.push(event));
    const origin = async () => [
      (await forge.request('GET', `/api/chat/sessions/${id}`)).body.session.origin,
      (await forge.request('GET', '/api/chat/sessions')).body.sessions[0].origin,
    ];
    expect(await origin()).toEqual(['api', 'api']);
    bot.say(ANNA, await begin());
    await confirm();
    expect(await origin()).toEqual(['telegram', 'telegram']);
    const changed = { type: 'chat.session', session_id: id, change: 'changed' };
    expect(told).toEqual([changed]);
    for (const _ of [1, 2]) await send('DELETE');
    expect(await origin()).toEqual(['api', 'api']);
    expect(told).toEqual([changed, changed]);
  });

  it('takes a code for ten minutes, the latest only, and from a group too', async () => {
    const { bot, clock, begin, confirm } = await telegramWorld();
    const first = await begin();
    const second = await begin();
    bot.say(STRANGER, `/start ${first}`);
    expect((await confirm()).chat).toBeNull();
    clock.advance(10 * 60_000);
    bot.say(ANNA, `/start ${second}`);
    expect(await confirm()).toMatchObject({ chat: null, waiting: null });
    const third = await begin();
    bot.say({ id: -100, type: 'group', title: 'On\u202e call\n' }, `/start@forge_test_bot ${third}`);
    expect((await confirm()).chat.name).toBe('On call');
  });

  it('says what is wrong', async () => {
    const { bot, send, begin } = await telegramWorld();
    const code = await begin();
    bot.hasWebhook = true;
    expect((await send('POST', '/confirm')).body.error).toMatchObject({
      message: expect.stringContaining('while webhook is active'),
    });
    bot.hasWebhook = false;
    bot.say(ANNA, code);
    bot.block(ANNA.id);
    expect((await send('POST', '/confirm')).body.error.message).toContain('bot was blocked by the user');
    expect((await send('GET')).body.chat).toBeNull();
  });

  it.each([
    ['no token', '', 409, 'no Telegram bot token is saved'],
    ['a token that Telegram does not know', '1:other', 502, 'Telegram does not know the saved bot token'],
    ['something that is no token', '../../x', 409, 'the Telegram bot token is none'],
  ])('refuses with %s', async (_title, token, status, message) => {
    const { send, bot } = await telegramWorld(token);
    const answer = await send('POST');
    expect([answer.status, answer.body.error.message]).toEqual([status, message]);
    expect(answer.text).not.toContain(TOKEN);
    expect(bot.sent).toEqual([]);
  });

  it('knows no conversation that is not there, and forgets a link with its conversation', async () => {
    const world = await linked();
    const unknown = client(world, 'sess_000000000000');
    for (const method of ['GET', 'POST', 'DELETE']) expect((await unknown.send(method)).status).toBe(404);
    expect(world.forge.services.telegram.telegramChat(world.id)).toBe('4711');
    await world.forge.request('DELETE', `/api/chat/sessions/${world.id}`);
    expect(world.forge.services.telegram.telegramChat(world.id)).toBeNull();
  });
});

describe('C-132 reports on Telegram', () => {
  it('come once, over a restart too, and to no other conversation', async () => {
    const world = await linked();
    await world.report();
    await world.restart();
    await world.pass(3600);
    expect(world.bot.sent).toEqual([{ chat_id: 4711, text: 'Build 7.' }]);
    const other = client(world, await chatClient(world.forge).newSession());
    expect(await (await other.report())()).toEqual([]);
    expect(world.bot.sent).toHaveLength(1);
    expect(world.forge.logLines.join('')).not.toContain(TOKEN);
    expect(findCanaries(filesBelow(world.forge.dataDir.root), [TOKEN])).toEqual([]);
  });

  it('begin with what the manifest says, whatever a model adds', async () => {
    const llm = await fakeLlm([turn.text('Purple! It has failed.')]);
    const world = await linked({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
    await world.report();
    expect(world.bot.sent).toEqual([{ chat_id: 4711, text: 'Build 7.\n\nPurple! It has failed.' }]);
  });

  it('wait as long as Telegram says', async () => {
    const world = await linked();
    world.bot.refusals.push(new Refused(429, 'Too Many Requests: retry after 3600', { retry_after: 3600 }));
    const deliveries = await world.report();
    expect(await deliveries()).toMatchObject([
      { state: 'waiting', attempts: 1, problem: 'Telegram says: Too Many Requests: retry after 3600' },
    ]);
    await world.pass(3500);
    expect(world.bot.sent).toEqual([]);
    await world.pass(100);
    expect(world.bot.sent).toEqual([{ chat_id: 4711, text: 'Build 7.' }]);
    expect(await deliveries()).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });

  it('are not sent again to somebody who has blocked the bot', async () => {
    const world = await linked();
    world.bot.block(ANNA.id);
    const deliveries = await world.report();
    const asked = world.bot.asked.length;
    await world.pass(86_400);
    expect(world.bot.asked).toHaveLength(asked);
    expect(await deliveries()).toMatchObject([
      { state: 'failed', attempts: 1, problem: 'Telegram says: Forbidden: bot was blocked by the user' },
    ]);
  });

  it('follow a group that has got another id', async () => {
    const world = await linked();
    const moved = { id: -1009, type: 'group', title: 'Moved' } as const;
    world.bot.say(moved, 'hello');
    const description = 'Bad Request: group chat was upgraded to a supergroup chat';
    world.bot.refusals.push(new Refused(400, description, { migrate_to_chat_id: moved.id }));
    const deliveries = await world.report();
    await world.pass(60);
    expect(await deliveries()).toMatchObject([{ state: 'sent', attempts: 2 }]);
    expect(world.bot.sent).toEqual([{ chat_id: moved.id, text: 'Build 7.' }]);
  });
});
