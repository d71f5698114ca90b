const MAX_REMEMBERED = 2000;
const MAX_PER_BROWSER = 100;

/** What the server no longer waits for, and browsers may still be at work on. */
export class GivenUp {
  /** Requests, and which browser may still answer them. */
  readonly #requests = new Map<number, string>();
  /** Calls a browser has to stop when it is back. */
  readonly #calls = new Map<string, string[]>();

  add(id: number, browserId: string): void {
    this.#requests.set(id, browserId);
    for (const [oldest] of this.#requests) {
      if (this.#requests.size <= MAX_REMEMBERED) break;
      this.#requests.delete(oldest);
    }
  }

  /** Whether a reply is one that nobody waits for any more; true once. */
  take(id: number, browserId: string): boolean {
    return this.#requests.get(id) === browserId && this.#requests.delete(id);
  }

  stopLater(browserId: string, callId: string): void {
    const calls = this.#calls.get(browserId) ?? [];
    this.#calls.set(browserId, [...calls, callId].slice(-MAX_PER_BROWSER));
  }

  /** The calls a browser that is back has to stop. */
  takeCalls(browserId: string): string[] {
    const calls = this.#calls.get(browserId) ?? [];
    this.#calls.delete(browserId);
    return calls;
  }
}
