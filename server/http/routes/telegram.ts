import { TelegramAnswer } from '../../../shared/telegram-api.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Conversations whose reports go to a Telegram chat. */
export function telegramRoutes({ telegram }: Services): Route[] {
  const one = { path: '/api/chat/sessions/:id/telegram', access: 'token' } as const;
  return [
    route({
      ...one,
      method: 'GET',
      summary: 'The Telegram chat that a conversation is linked with, and the code it waits for.',
      answers: { status: 200, schema: TelegramAnswer },
      handle: ({ params }) => ({ body: telegram.state(params['id'] ?? '') }),
    }),
    route({
      ...one,
      method: 'POST',
      describe: () => ({
        title: 'Send the reports of this conversation to a Telegram chat',
        verb: 'Link',
        lines: [{ label: 'Which chat', text: 'the one that sends the code to the bot first' }],
      }),
      summary: 'Begin to link a conversation: the code has to come to the bot, from the chat that is meant.',
      answers: { status: 201, schema: TelegramAnswer },
      handle: async ({ params, signal }) => ({
        status: 201,
        body: await telegram.begin(params['id'] ?? '', signal()),
      }),
    }),
    route({
      method: 'POST',
      path: '/api/chat/sessions/:id/telegram/confirm',
      summary: 'Look whether the code has come; then the chat is linked.',
      access: 'token',
      fromPage: 'uses',
      answers: { status: 200, schema: TelegramAnswer },
      handle: async ({ params }) => ({ body: await telegram.confirm(params['id'] ?? '') }),
    }),
    route({
      ...one,
      method: 'DELETE',
      fromPage: 'narrows',
      summary: 'Unlink a conversation; its reports no longer go to Telegram.',
      answers: { status: 204 },
      handle: ({ params }) => {
        telegram.remove(params['id'] ?? '');
        return {};
      },
    }),
  ];
}
