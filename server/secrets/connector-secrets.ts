import type { Finder } from './finder.ts';
import { GuessBudget } from './guess-budget.ts';
import { GuessableSecrets } from './guessable-secrets.ts';
import { createMasker, type Masker } from './masker.ts';
import { SecretSet } from './secret-set.ts';
import { isGuessable, isTokenLike } from './secret-strength.ts';

/** How many bearers of one connector are remembered. */
const MAX_PASSING = 32;

/** What is masked in the two halves of a call. */
export interface Masks {
  /**
   * What a caller says and what Forge makes of it: arguments, requests, previews, questions. Only secrets that nobody can guess are
   * looked for, and nothing that a service has said.
   */
  readonly sent: Masker;
  /** What comes back: results, errors, output, files. */
  readonly received: Masker;
}

export interface ConnectorSecretsDeps {
  /** Forge's own secrets. They are masked together with the connector's: one search for both costs half of two. */
  own: readonly string[];
  now: () => number;
  /** Told when callers send more words that look like a secret than anybody needs. */
  onGuessing: () => void;
}

/** The secrets of one connector. They are masked in what its own calls produce, and nowhere else. */
export class ConnectorSecrets {
  readonly #deps: ConnectorSecretsDeps;
  readonly #saved = new SecretSet();
  readonly #guessable = new GuessableSecrets();
  readonly #passing = new SecretSet({ max: MAX_PASSING });
  readonly #budget: GuessBudget;
  /** For what belongs to no particular call. */
  readonly masks: Masks;

  constructor(deps: ConnectorSecretsDeps) {
    this.#deps = deps;
    this.#budget = new GuessBudget(deps.now);
    for (const secret of deps.own) this.addOwn(secret);
    this.masks = {
      sent: createMasker([this.#saved]),
      received: createMasker([this.#saved, this.#guessable, this.#passing]),
    };
  }

  /** One of Forge's own. */
  addOwn(secret: string): void {
    this.#saved.add(secret);
  }

  /** One that a person has saved. */
  add(secret: string): void {
    if (isGuessable(secret)) this.#guessable.add(secret);
    else this.#saved.add(secret);
  }

  /** One that its service has handed out, such as a bearer. What does not look like one may be any word, and masks nothing. */
  addPassing(secret: string): void {
    if (isTokenLike(secret)) this.#passing.add(secret);
  }

  /** For one call: what its caller sent decides what guessing would show, and `credentials` of its own are masked in what comes back. */
  ofCall(args: Readonly<Record<string, unknown>>, credentials: readonly string[]): Masks {
    if (this.#guessable.isEmpty && credentials.length === 0) return this.masks;
    let received: Masker | null = null;
    const make = (): Masker => {
      const own = new SecretSet();
      for (const credential of credentials) own.add(credential);
      return createMasker([this.#saved, this.#passing, own, this.#guessesOf(args)]);
    };
    return {
      sent: this.masks.sent,
      get received() {
        return (received ??= make());
      },
    };
  }

  #guessesOf(args: Readonly<Record<string, unknown>>): Finder {
    if (this.#guessable.isEmpty) return this.#guessable;
    const beyond = this.#budget.beyond(this.#guessable.guessesIn(JSON.stringify(args)));
    if (beyond.size === 0) return this.#guessable;
    this.#deps.onGuessing();
    return this.#guessable.among([...beyond]);
  }
}
