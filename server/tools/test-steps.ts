/** What the Test button shows. */
export interface TestOutcome {
  ok: boolean;
  message: string;
  hint?: string;
  status?: number;
  url?: string;
  duration_ms: number;
  /** How far it got: read the settings, build the request, send it, judge the answer. */
  steps: { name: string; ok: boolean; ms: number }[];
}

/** Follows one test through its steps and makes its outcome. */
export class TestSteps {
  readonly #redact: (text: string) => string;
  readonly #started = performance.now();
  readonly #steps: TestOutcome['steps'] = [];
  #last = this.#started;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  pass(name: string): void {
    this.#add(name, true);
  }

  outcome(ok: boolean, message: string, rest: Pick<TestOutcome, 'status' | 'url' | 'hint'> = {}): TestOutcome {
    this.#add('result', ok);
    const { url, hint, ...others } = rest;
    // What a service says may hold what it was sent.
    const shown = {
      message: this.#redact(message),
      ...others,
      ...(hint === undefined ? {} : { hint: this.#redact(hint) }),
      ...(url === undefined ? {} : { url: this.#redact(url) }),
    };
    return { ok, ...shown, duration_ms: performance.now() - this.#started, steps: this.#steps };
  }

  #add(name: string, ok: boolean): void {
    const now = performance.now();
    this.#steps.push({ name, ok, ms: now - this.#last });
    this.#last = now;
  }
}
