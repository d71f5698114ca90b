import type { Finder, FinderData } from './finder.ts';
import { PatternSearch, type Range } from './pattern-search.ts';
import { secretVariants } from './secret-variants.ts';

// Three characters occur by chance all over a text: masking them would ruin results and, by where the masks stand, tell the secret.
const MIN_SECRET_CHARS = 4;
const JSON_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;
const NOT_ASCII = /[^\u0000-\u007f]/;

/**
 * Secrets in every spelling. One more costs what its own spellings cost, however many there are. With `max`, only so many are
 * remembered, and those that came longest ago are forgotten, half of them at a time.
 */
export class SecretSet implements Finder {
  readonly #max: number;
  #secrets = new Set<string>();
  #waiting: string[] = [];
  #search = new PatternSearch();
  /** As files spell what is not ASCII; null as long as nothing is. */
  #inBytes: PatternSearch | null = null;
  #version = 0;
  #hasSpaces = false;

  constructor({ max = Infinity }: { max?: number } = {}) {
    this.#max = max;
  }

  get version(): number {
    return this.#version;
  }

  get isEmpty(): boolean {
    return this.#secrets.size === 0;
  }

  get maxChars(): number {
    return this.#ready().maxChars;
  }

  get hasSpaces(): boolean {
    return this.#hasSpaces;
  }

  add(secret: string): void {
    if (secret.length < MIN_SECRET_CHARS || this.#secrets.has(secret)) return;
    this.#version += 1;
    if (this.#secrets.size >= this.#max) this.#forgetHalf();
    this.#secrets.add(secret);
    this.#waiting.push(secret);
    this.#hasSpaces ||= /^[^\n]*[ \t][^\n]*$/.test(secret);
  }

  secrets(): Iterable<string> {
    return this.#secrets;
  }

  find(text: string): Range[] {
    return this.#ready().find(text);
  }

  findBytes(bytes: string): Range[] {
    const search = this.#ready();
    return (this.#inBytes ?? search).find(bytes);
  }

  undecidedFrom(text: string): number {
    return this.#ready().undecidedFrom(text);
  }

  data(): FinderData {
    return { kind: 'secrets', secrets: [...this.#secrets] };
  }

  /** Spellings are worked out when the first text is looked at: of many secrets only a few are ever looked for. */
  #ready(): PatternSearch {
    if (this.#waiting.length > 0) for (const secret of this.#waiting.splice(0)) this.#learn(secret);
    return this.#search;
  }

  #learn(secret: string): void {
    for (const spelling of secretVariants(secret)) {
      this.#search.add(spelling);
      // As a value of JSON spells it, so that one look at the JSON shows whether it is in any of the values.
      if (JSON_ESCAPES.test(spelling)) this.#search.add(JSON.stringify(spelling).slice(1, -1));
      const isAscii = !NOT_ASCII.test(spelling);
      if (!isAscii || this.#inBytes !== null) this.#bytesSearch().add(isAscii ? spelling : bytesOf(spelling));
    }
  }

  #bytesSearch(): PatternSearch {
    if (this.#inBytes !== null) return this.#inBytes;
    this.#inBytes = new PatternSearch();
    for (const secret of this.#secrets)
      for (const spelling of secretVariants(secret)) this.#inBytes.add(bytesOf(spelling));
    return this.#inBytes;
  }

  #forgetHalf(): void {
    this.#waiting = [...this.#secrets].slice(-Math.floor(this.#max / 2));
    this.#secrets = new Set(this.#waiting);
    this.#search = new PatternSearch();
    this.#inBytes = null;
  }
}

/** As a file has it, one character for each byte. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
