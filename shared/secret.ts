const MASK = '[secret]';

/** A value that prints as `[secret]` everywhere; `reveal` is called only where a server-side request or command is built. */
export class Secret {
  static #reveals = 0;
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** How many times any secret was revealed: what was made while this stayed the same contains none. */
  static get reveals(): number {
    return Secret.#reveals;
  }

  get isEmpty(): boolean {
    return this.#value === '';
  }

  reveal(): string {
    Secret.#reveals += 1;
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}
