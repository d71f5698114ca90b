/** Work that goes on in the background, one piece per id. It can be waited for and stopped. */
export class UnderWay {
  readonly #pieces = new Map<string, { controller: AbortController; ended: Promise<void> }>();
  #stopped: Error | null = null;

  has(id: string): boolean {
    return this.#pieces.has(id);
  }

  /** Begins a piece, unless one of that id is under way or everything has stopped. */
  begin(id: string, work: (signal: AbortSignal) => Promise<void>, onProblem: (error: unknown) => void): void {
    if (this.#stopped !== null || this.#pieces.has(id)) return;
    const controller = new AbortController();
    const ended = Promise.resolve()
      .then(() => work(controller.signal))
      .catch(onProblem)
      .finally(() => this.#pieces.delete(id));
    this.#pieces.set(id, { controller, ended });
  }

  abort(id: string, reason: Error): void {
    this.#pieces.get(id)?.controller.abort(reason);
  }

  /** Resolves when nothing is under way, what has begun meanwhile included. */
  async settled(): Promise<void> {
    while (this.#pieces.size > 0) await Promise.all(Array.from(this.#pieces.values(), ({ ended }) => ended));
  }

  /** Begins nothing more, and resolves when all has ended. */
  async stop(reason: Error): Promise<void> {
    this.#stopped = reason;
    for (const { controller } of this.#pieces.values()) controller.abort(reason);
    await this.settled();
  }
}
