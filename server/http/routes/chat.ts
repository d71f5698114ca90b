import {
  Attachment,
  type BegunIn,
  ChangedSession,
  ChatMessage,
  ChatSession,
  ExportQuery,
  MessagesQuery,
  MAX_ATTACHMENT_BYTES,
  NewAttachment,
  NewMessage,
  NewSession,
  RetryRequest,
  SessionDetail,
  SessionsAnswer,
  SessionsQuery,
  StartedAnswer,
} from '../../../shared/chat-api.ts';
import { Type } from '@sinclair/typebox';
import { EXTENSION_CLIENT } from '../../bridge/forward-api.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const DEFAULT_LIMIT = 50;
const DEFAULT_MESSAGES = 100;
const MAX_MESSAGES = 500;
/** base64 takes four characters for three bytes, and there is a little around it. */
const ATTACHMENT_LIMIT = Math.ceil(MAX_ATTACHMENT_BYTES / 3) * 4 + 10_000;

/** Conversations. */
export function chatRoutes(services: Services): Route[] {
  return [...sessionRoutes(services), ...messageRoutes(services)];
}

function sessionRoutes({ chat }: Services): Route[] {
  const one = { path: '/api/chat/sessions/:id', access: 'token' } as const;
  return [
    route({
      method: 'GET',
      path: '/api/chat/sessions',
      summary: 'Conversations, the one used last first.',
      access: 'token',
      query: SessionsQuery,
      answers: { status: 200, schema: SessionsAnswer },
      handle: ({ query: { limit, before = null, search = null } }) => ({
        body: { sessions: chat.list({ limit: Number(limit ?? DEFAULT_LIMIT), before, search }) },
      }),
    }),
    route({
      method: 'POST',
      path: '/api/chat/sessions',
      summary: 'Begin a conversation.',
      access: 'token',
      fromPage: 'uses',
      body: { json: NewSession },
      answers: { status: 201, schema: ChatSession },
      handle: ({ body, header }) => ({ status: 201, body: chat.create({ ...body, origin: originOf(header) }) }),
    }),
    route({
      ...one,
      method: 'GET',
      summary: 'A conversation with a page of its messages, the latest unless it says otherwise, and what it has used.',
      query: MessagesQuery,
      answers: { status: 200, schema: SessionDetail },
      handle: ({ params, query: { limit, before } }) => ({
        body: chat.get(params['id'] ?? '', {
          limit: Math.min(Number(limit ?? DEFAULT_MESSAGES), MAX_MESSAGES),
          before: before === undefined ? null : Number(before),
        }),
      }),
    }),
    route({
      ...one,
      method: 'PATCH',
      fromPage: 'uses',
      summary: 'Give a conversation another title or model.',
      body: { json: ChangedSession },
      answers: { status: 200, schema: ChatSession },
      handle: ({ params, body }) => ({ body: chat.change(params['id'] ?? '', body) }),
    }),
    route({
      ...one,
      method: 'DELETE',
      fromPage: 'uses',
      summary: 'Forget a conversation; an answer that is being written is stopped first.',
      answers: { status: 204 },
      handle: async ({ params }) => {
        await chat.remove(params['id'] ?? '');
        return {};
      },
    }),
    route({
      method: 'GET',
      path: '/api/chat/sessions/:id/export',
      summary: 'Download a conversation as Markdown or JSON.',
      access: 'token',
      query: ExportQuery,
      answers: { status: 200, schema: Type.String(), contentType: 'text/markdown' },
      handle: ({ params, query }) => {
        const { filename, type, text } = chat.export(params['id'] ?? '', query.format ?? 'markdown');
        const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`;
        return { body: text, headers: { 'Content-Type': type, 'Content-Disposition': disposition } };
      },
    }),
  ];
}

/** A program brings the token, Forge's own page its cookie. Whoever has the token may say what they like here: it decides nothing. */
function originOf(header: (name: string) => string): BegunIn {
  if (header('x-forge-client') === EXTENSION_CLIENT) return 'extension';
  return header('x-forge-token') === '' && header('authorization') === '' ? 'web' : 'api';
}

function messageRoutes({ chat }: Services): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/chat/sessions/:id/messages',
      summary: 'Say something. The answer is a task; with `replaces`, what followed the old message makes room.',
      access: 'token',
      fromPage: 'uses',
      body: { json: NewMessage },
      answers: { status: 202, schema: StartedAnswer },
      handle: async ({ params, body }) => ({ status: 202, body: await chat.send(params['id'] ?? '', body) }),
    }),
    route({
      method: 'POST',
      path: '/api/chat/sessions/:id/retry',
      summary: 'Have an answer given again; it and what followed make room.',
      access: 'token',
      fromPage: 'uses',
      body: { json: RetryRequest },
      answers: { status: 202, schema: StartedAnswer },
      handle: async ({ params, body }) => ({ status: 202, body: await chat.retry(params['id'] ?? '', body) }),
    }),
    route({
      method: 'GET',
      path: '/api/chat/sessions/:id/messages/:messageId',
      summary: 'One message, as far as it is written.',
      access: 'token',
      answers: { status: 200, schema: ChatMessage },
      handle: ({ params }) => ({ body: chat.message(params['id'] ?? '', params['messageId'] ?? '') }),
    }),
    route({
      method: 'POST',
      path: '/api/chat/sessions/:id/files',
      summary: 'Bring a file that the next message can name.',
      access: 'token',
      fromPage: 'uses',
      body: { json: NewAttachment, limit: ATTACHMENT_LIMIT },
      answers: { status: 201, schema: Attachment },
      handle: ({ params, body }) => ({ status: 201, body: chat.attach(params['id'] ?? '', body) }),
    }),
  ];
}
