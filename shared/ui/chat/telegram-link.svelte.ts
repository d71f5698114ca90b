import { untrack } from 'svelte';
import type { TelegramState } from '../../telegram-api.ts';
import { isAbort, toApiError, type Api, type ApiError } from '../api.ts';
import { hasRunOut, telegramStage, type TelegramNote } from './telegram-words.ts';
import { whileVisible } from '../while-visible.ts';

/** The link of a conversation with a Telegram chat, as it stands and as it is made. */
export interface TelegramLink {
  /** Null until it is read. */
  readonly state: TelegramState | null;
  readonly error: ApiError | null;
  readonly note: TelegramNote;
  /** What the person has asked for is under way. */
  readonly isBusy: boolean;
  open(): Promise<void>;
  /** A new code; an earlier one is no longer good. */
  begin(): Promise<void>;
  check(): Promise<void>;
  unlink(): Promise<void>;
}

const LOOK_MS = 2000;

/** Read when the view opens; while a code is out, Telegram is asked now and then whether it has come. */
export function createTelegramLink(api: Api, sessionId: string): TelegramLink {
  const link = new FollowedLink(api, `/api/chat/sessions/${encodeURIComponent(sessionId)}/telegram`);
  $effect(() => {
    void untrack(link.open);
    return link.close;
  });
  $effect(() => {
    if (!link.isOut) return;
    return whileVisible((isAgain) => {
      if (isAgain) void link.look();
      const timer = setInterval(() => void link.look(), LOOK_MS);
      return () => clearInterval(timer);
    });
  });
  return link;
}

class FollowedLink implements TelegramLink {
  state = $state.raw<TelegramState | null>(null);
  error = $state.raw<ApiError | null>(null);
  note = $state<TelegramNote>(null);
  isBusy = $state(false);
  /** A code is out, and nothing keeps it from being looked for. */
  readonly isOut = $derived(this.state !== null && telegramStage(this.state) === 'waiting' && this.error === null);
  readonly #api: Api;
  readonly #place: string;
  readonly #life = new AbortController();
  readonly #options = { signal: this.#life.signal };
  #isLooking = false;
  /** Counts what was asked: an answer to something before that comes too late. */
  #turn = 0;

  constructor(api: Api, place: string) {
    this.#api = api;
    this.#place = place;
  }

  readonly close = (): void => this.#life.abort(new DOMException('no longer wanted', 'AbortError'));

  /** Where there is a bot and no chat yet, whoever opens this wants a code. */
  readonly open = (): Promise<void> =>
    this.#asked(async () => {
      const now = await this.#api.get<TelegramState>(this.#place, this.#options);
      return telegramStage(now) === 'none' ? await this.#newCode() : now;
    });

  readonly begin = (): Promise<void> => this.#asked(() => this.#newCode());

  readonly check = async (): Promise<void> => {
    await this.#asked(() => this.#confirm());
    if (this.isOut) this.note = 'not-come';
  };

  readonly unlink = async (): Promise<void> => {
    await this.#asked(async () => {
      await this.#api.delete(this.#place, this.#options);
      return { ready: this.state?.ready ?? true, chat: null, waiting: null };
    });
    if (this.error === null) this.note = 'unlinked';
  };

  readonly look = async (): Promise<void> => {
    if (this.#isLooking || this.isBusy) return;
    this.#isLooking = true;
    await this.#take(() => this.#confirm());
    this.#isLooking = false;
  };

  #newCode(): Promise<TelegramState> {
    return this.#api.post(this.#place, undefined, this.#options);
  }

  #confirm(): Promise<TelegramState> {
    return this.#api.post(`${this.#place}/confirm`, undefined, this.#options);
  }

  async #asked(work: () => Promise<TelegramState>): Promise<void> {
    this.isBusy = true;
    this.note = null;
    await this.#take(work);
    this.isBusy = false;
  }

  async #take(work: () => Promise<TelegramState>): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const next = await work();
      if (turn !== this.#turn) return;
      if (hasRunOut(this.state, next)) this.note = 'ran-out';
      this.error = null;
      this.state = next;
    } catch (failure) {
      if (turn === this.#turn && !isAbort(failure)) this.error = toApiError(failure);
    }
  }
}
