import { clipText } from '../results/cut-text.ts';
import { TEST_STEPS, type TestStep } from '../../shared/test-steps.ts';

/** What the Test button shows. */
export interface TestOutcome {
  ok: boolean;
  message: string;
  hint?: string;
  status?: number;
  url?: string;
  duration_ms: number;
  /** How far it got; the last one is the step that failed, if one did. */
  steps: TestStep[];
}

/** Follows one test through its steps and makes its outcome. */
export class TestSteps {
  readonly redact: (text: string) => string;
  readonly #started = performance.now();
  readonly #steps: TestStep[] = [];
  readonly #onStep: (step: TestStep) => void;
  #last = this.#started;

  constructor(redact: (text: string) => string, onStep: (step: TestStep) => void = () => undefined) {
    this.redact = redact;
    this.#onStep = onStep;
  }

  pass(name: TestStep['name']): void {
    this.#add(name, true);
  }

  outcome(ok: boolean, message: string, rest: Pick<TestOutcome, 'status' | 'url' | 'hint'> = {}): TestOutcome {
    // Whatever ends a test early belongs to the step that was under way.
    this.#add(TEST_STEPS[this.#steps.length] ?? 'result', ok);
    const { url, hint, ...others } = rest;
    // What a service says may hold what it was sent.
    const shown = {
      message: this.redact(message),
      ...others,
      ...(hint === undefined ? {} : { hint: this.redact(hint) }),
      ...(url === undefined ? {} : { url: this.redact(url) }),
    };
    return { ok, ...shown, duration_ms: performance.now() - this.#started, steps: this.#steps };
  }

  /** The beginning of what a service said, with its secrets masked before it is cut. */
  head(text: string, maxChars: number): string {
    return clipText(this.redact(text), maxChars);
  }

  #add(name: TestStep['name'], ok: boolean): void {
    const now = performance.now();
    const step = { name, ok, ms: now - this.#last };
    this.#steps.push(step);
    this.#last = now;
    this.#onStep(step);
  }
}
