import { untrack } from 'svelte';
import type { ChatMessage, ChatNewMessage, ChatSession, ChatSessionDetail } from '../../chat-api.ts';
import type { ForgeEvent } from '../../events.ts';
import { isAbort, toApiError, type Api, type ApiError } from '../api.ts';
import { soon } from '../follow-events.ts';
import { followAnswer } from './answer-stream.ts';
import { isUnderWay, withDrawn, withEarlier, withMessage } from './message-list.ts';

/** One conversation as it stands, and what can be done in it. */
export interface Thread {
  readonly detail: ChatSessionDetail | null;
  readonly messages: readonly ChatMessage[];
  /** There are messages before the first of these. */
  readonly hasEarlier: boolean;
  readonly isReadingEarlier: boolean;
  readonly error: ApiError | null;
  /** The server does not answer; what is shown may be old. */
  readonly isAway: boolean;
  /** Somebody has deleted it. */
  readonly isGone: boolean;
  /** The answer that is being written now. */
  readonly running: ChatMessage | null;
  /** Goes up when a question to the person has come or gone. */
  readonly questions: number;
  readonly reload: () => void;
  readonly readEarlier: () => Promise<void>;
  /** Something has happened; it may be about this conversation. */
  readonly take: (event: ForgeEvent) => void;
  readonly send: (message: ChatNewMessage) => Promise<void>;
  readonly retry: (messageId: string) => Promise<void>;
  readonly change: (change: { title?: string; model?: string }) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** An answer that goes on although its line has ended is followed again, but not at once. */
const AGAIN_MS = 500;

/** The conversation of an id, which may change; read and followed while the view is there. */
export function createThread(api: Api, sessionId: () => string | null): Thread {
  const thread = new FollowedThread(api, sessionId);
  $effect(() => {
    void sessionId();
    untrack(thread.open);
    return thread.close;
  });
  return thread;
}

class FollowedThread implements Thread {
  detail = $state.raw<ChatSessionDetail | null>(null);
  messages = $state.raw<readonly ChatMessage[]>([]);
  hasEarlier = $state(false);
  isReadingEarlier = $state(false);
  error = $state.raw<ApiError | null>(null);
  isAway = $state(false);
  isGone = $state(false);
  questions = $state(0);
  readonly running = $derived(this.messages.findLast(isUnderWay) ?? null);
  readonly #api: Api;
  readonly #sessionId: () => string | null;
  /** Ends with the conversation that is looked at. */
  #life = new AbortController();
  readonly #followed = new Set<string>();
  readonly #soon = soon(() => this.reload());

  constructor(api: Api, sessionId: () => string | null) {
    this.#api = api;
    this.#sessionId = sessionId;
  }

  readonly open = (): void => {
    this.#life = new AbortController();
    this.#followed.clear();
    this.detail = null;
    this.messages = [];
    this.hasEarlier = false;
    this.isReadingEarlier = false;
    this.error = null;
    this.isAway = false;
    this.isGone = false;
    this.reload();
  };

  readonly close = (): void => {
    this.#life.abort(new DOMException('no longer wanted', 'AbortError'));
    this.#soon.stop();
  };

  readonly reload = (): void => {
    if (this.#sessionId() === null) return;
    const take = (answer: ChatSessionDetail): void => {
      this.detail = answer;
      this.error = null;
      const earlier = withEarlier(answer, this.messages);
      if (earlier.length === 0) this.hasEarlier = answer.has_earlier;
      this.messages = [...earlier, ...withDrawn(answer.messages, this.messages)];
      for (const message of this.messages) this.#follow(message);
    };
    const place = this.#place();
    void this.#read((options) => this.#api.get<ChatSessionDetail>(place, options), take).then((failure) => {
      if (failure === null) return;
      if (failure.status === 404 && this.detail !== null) this.isGone = true;
      else if (failure.status !== 0 || this.detail === null) this.error = failure;
    });
  };

  readonly readEarlier = async (): Promise<void> => {
    const [first] = this.messages;
    if (first === undefined || this.isReadingEarlier) return;
    this.isReadingEarlier = true;
    const place = this.#place(`?before=${first.seq}`);
    const failure = await this.#read(
      (options) => this.#api.get<ChatSessionDetail>(place, options),
      ({ messages, has_earlier }) => {
        const known = new Set(this.messages.map(({ id }) => id));
        this.messages = [...messages.filter(({ id }) => !known.has(id)), ...this.messages];
        this.hasEarlier = has_earlier;
      },
    );
    this.isReadingEarlier = false;
    if (failure !== null && failure.status !== 0) this.error = failure;
  };

  readonly take = (event: ForgeEvent): void => {
    if (!('session_id' in event) || event.session_id !== this.#sessionId()) return;
    if (event.type === 'approval.changed') this.questions += 1;
    else if (event.type === 'chat.session') {
      if (event.change === 'deleted') this.isGone = true;
      else this.#soon.ask();
    } else if (event.type === 'chat.message') {
      const { message_id: id } = event;
      if (event.change === 'removed') this.messages = this.messages.filter((message) => message.id !== id);
      else void this.#readMessage(id);
    }
  };

  readonly send = (message: ChatNewMessage): Promise<void> => this.#begin('/messages', message);

  readonly retry = (messageId: string): Promise<void> => this.#begin('/retry', { message_id: messageId });

  readonly change = async (change: { title?: string; model?: string }): Promise<void> => {
    const session = await this.#api.patch<ChatSession>(this.#place(), change);
    if (this.detail?.session.id === session.id) this.detail = { ...this.detail, session };
  };

  readonly stop = async (): Promise<void> => {
    const taskId = this.running?.task_id ?? null;
    if (taskId !== null) await this.#api.post(`/api/tasks/${encodeURIComponent(taskId)}/cancel`);
  };

  readonly remove = async (): Promise<void> => {
    await this.#api.delete(this.#place());
    this.isGone = true;
  };

  #place(more = ''): string {
    return `/api/chat/sessions/${encodeURIComponent(this.#sessionId() ?? '')}${more}`;
  }

  async #begin(path: string, body: object): Promise<void> {
    await this.#api.post(this.#place(path), body);
    this.reload();
  }

  /** Reads something for as long as this conversation is looked at; answers why it could not. */
  async #read<T>(
    ask: (options: { signal: AbortSignal }) => Promise<T>,
    take: (answer: T) => void,
  ): Promise<ApiError | null> {
    const { signal } = this.#life;
    try {
      const answer = await ask({ signal });
      if (signal.aborted) return null;
      this.isAway = false;
      take(answer);
      return null;
    } catch (failure) {
      if (signal.aborted || isAbort(failure)) return null;
      const error = toApiError(failure);
      // What is on the screen stays there until the server is back.
      this.isAway = error.status === 0 && this.detail !== null;
      return error;
    }
  }

  async #readMessage(id: string, pauseMs = 0): Promise<void> {
    const { signal } = this.#life;
    const place = this.#place(`/messages/${encodeURIComponent(id)}`);
    const take = (message: ChatMessage): void => {
      this.messages = withDrawn(withMessage(this.messages, message), this.messages);
      // What the conversation has cost has changed, too.
      if (!isUnderWay(message)) this.#soon.ask();
      else setTimeout(() => signal.aborted || this.#follow(message), pauseMs);
    };
    const failure = await this.#read((options) => this.#api.get<ChatMessage>(place, options), take);
    if (failure !== null && failure.status !== 0) this.#soon.ask();
  }

  #follow({ id, task_id: taskId, status }: ChatMessage): void {
    if (taskId === null || !isUnderWay({ status }) || this.#followed.has(id)) return;
    this.#followed.add(id);
    const { signal } = this.#life;
    const onParts = (parts: ChatMessage['parts']): void => {
      const shown = this.messages.find((message) => message.id === id);
      if (shown !== undefined) this.messages = withMessage(this.messages, { ...shown, parts });
    };
    const end = (): void => {
      if (signal.aborted) return;
      this.#followed.delete(id);
      void this.#readMessage(id, AGAIN_MS);
    };
    // A line that breaks is told by the other one, the line of events, when it is back.
    followAnswer(this.#api, taskId, { signal, onParts }).then(end, end);
  }
}
