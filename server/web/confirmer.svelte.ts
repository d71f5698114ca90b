import { ApiError } from '../../shared/ui/api.ts';

/** A question that is shown in a frame of the confirming origin. */
export interface Question {
  url: string;
  answer: (isConfirmed: boolean) => void;
}

/** What the server says about a request that waits for a person; null for every other answer. */
export function questionIn(status: number, failure: unknown): { id: string; url: string } | null {
  if (status !== 428 || !(failure instanceof ApiError) || failure.code !== 'confirmation_required') return null;
  const { confirmation_id: id, url } = (failure.details ?? {}) as Record<string, unknown>; // checked in the next line
  return typeof id === 'string' && typeof url === 'string' ? { id, url } : null;
}

/** Puts requests that need it to the person, one after the other. */
export class Confirmer {
  #waiting = $state.raw<readonly Question[]>([]);

  get current(): Question | null {
    return this.#waiting[0] ?? null;
  }

  /** True when the person has confirmed it; the server checks that for itself. */
  ask(url: string, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const remove = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== question);
        signal?.removeEventListener('abort', leave);
      };
      const leave = (): void => {
        remove();
        reject(new DOMException('cancelled', 'AbortError'));
      };
      const question: Question = {
        url,
        answer: (isConfirmed) => {
          remove();
          resolve(isConfirmed);
        },
      };
      signal?.throwIfAborted();
      signal?.addEventListener('abort', leave);
      this.#waiting = [...this.#waiting, question];
    });
  }
}

/** What the caller of a request hears that the person did not want. */
export function notConfirmed(): ApiError {
  return new ApiError(428, {
    code: 'confirmation_required',
    message: 'You did not confirm it',
    hint: 'Nothing was changed.',
  });
}
