import { clipText } from '../results/cut-text.ts';
import { TEST_STEPS, type StepName, type TestStep } from '../../shared/test-steps.ts';

/** What the Test button shows. */
export interface TestOutcome {
  ok: boolean;
  message: string;
  hint?: string;
  /** Of the error that ended it. */
  code?: string;
  status?: number;
  url?: string;
  duration_ms: number;
  /** How far it got; the last one is the step that failed, if one did. */
  steps: TestStep[];
  /** All of its steps, those that it did not get to included. */
  plan: readonly StepName[];
}

/** Told what a test will go through, and of each step as it ends. */
export interface TestListener {
  onPlan: (plan: readonly StepName[]) => void;
  onStep: (step: TestStep) => void;
}

/** Follows one test through its steps and makes its outcome. */
export class TestSteps {
  readonly redact: (text: string) => string;
  readonly #started = performance.now();
  readonly #steps: TestStep[] = [];
  readonly #listener: TestListener | undefined;
  #plan: readonly StepName[] = TEST_STEPS;
  #last = this.#started;

  constructor(redact: (text: string) => string, listener?: TestListener) {
    this.redact = redact;
    this.#listener = listener;
  }

  /** Says what is to come, once it is known. */
  expect(plan: readonly StepName[]): void {
    this.#plan = plan;
    this.#listener?.onPlan(plan);
  }

  /** A step has ended. What stood before it in the plan and was not told cannot be told apart, as behind a proxy. */
  pass(name: StepName): void {
    const at = this.#plan.indexOf(name, this.#steps.length);
    // A second connection, as after a redirect, is no step of its own.
    if (at === -1) return;
    if (at > this.#steps.length) this.expect(this.#plan.toSpliced(this.#steps.length, at - this.#steps.length));
    this.#add(name, true);
  }

  outcome(ok: boolean, message: string, rest: Pick<TestOutcome, 'status' | 'url' | 'hint' | 'code'> = {}): TestOutcome {
    // Whatever ends a test early belongs to the step that was under way.
    this.#add(this.#plan[this.#steps.length] ?? 'result', ok);
    const { url, hint, ...others } = rest;
    // What a service says may hold what it was sent.
    const shown = {
      message: this.redact(message),
      ...others,
      ...(hint === undefined ? {} : { hint: this.redact(hint) }),
      ...(url === undefined ? {} : { url: this.redact(url) }),
    };
    return { ok, ...shown, duration_ms: performance.now() - this.#started, steps: this.#steps, plan: this.#plan };
  }

  /** The beginning of what a service said, with its secrets masked before it is cut. */
  head(text: string, maxChars: number): string {
    return clipText(this.redact(text), maxChars);
  }

  #add(name: StepName, ok: boolean): void {
    const now = performance.now();
    const step = { name, ok, ms: now - this.#last };
    this.#steps.push(step);
    this.#last = now;
    this.#listener?.onStep(step);
  }
}
