import type { Finder, FinderData } from './finder.ts';
import { merged } from './finder.ts';
import { PatternSearch, type Range } from './pattern-search.ts';
import { plainSpellings } from './secret-variants.ts';

const MIN_SECRET_CHARS = 4;

/** Words of one kind: so many characters of these, and none of them before or behind. */
interface Shape {
  readonly words: RegExp;
  /** Which kinds of characters a word has to have. */
  readonly kinds: string;
}

/**
 * Secrets that somebody could find by trying. They are looked for in what services answer, as whole words, as they are and as JSON and
 * addresses spell them: every further spelling would be one more way to try.
 */
export class GuessableSecrets implements Finder {
  readonly #secrets = new Set<string>();
  readonly #search = new PatternSearch();
  readonly #shapes = new Map<string, Shape>();
  #version = 0;
  #hasSpaces = false;

  get version(): number {
    return this.#version;
  }

  get isEmpty(): boolean {
    return this.#secrets.size === 0;
  }

  get maxChars(): number {
    return this.#search.maxChars;
  }

  get hasSpaces(): boolean {
    return this.#hasSpaces;
  }

  add(secret: string): void {
    if (secret.length < MIN_SECRET_CHARS || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    this.#version += 1;
    this.#hasSpaces ||= /[ \t]/.test(secret);
    for (const spelling of plainSpellings(secret)) this.#search.add(spelling);
    const shape = shapeOf(secret);
    this.#shapes.set(shape.words.source, shape);
  }

  find(text: string): Range[] {
    const found = this.#search.find(text).filter((range) => isWord(text, range));
    // Whatever a Basic header says, so that neither it nor where it is masked tells the password in it.
    if (this.isEmpty || !text.includes('asic ')) return found;
    for (const { index, 0: whole, 1: kind = '' } of text.matchAll(BASIC))
      found.push({ start: index + kind.length, end: index + whole.length });
    return merged(found);
  }

  findBytes(bytes: string): Range[] {
    return this.find(bytes);
  }

  undecidedFrom(text: string): number {
    return this.#search.undecidedFrom(text);
  }

  data(): FinderData {
    return { kind: 'guessable', secrets: [...this.#secrets], words: [] };
  }

  /** The words of a text that could be guesses, since they look like one of the secrets. */
  guessesIn(text: string): Set<string> {
    const found = new Set<string>();
    for (const { words, kinds } of this.#shapes.values())
      for (const [, word = ''] of text.matchAll(words)) if (kindsOf(word) === kinds) found.add(word);
    return found;
  }

  /** These secrets, and beside them words that are masked as if they were some. */
  among(words: readonly string[]): Finder {
    const more = new PatternSearch();
    for (const word of words) more.add(word);
    const data = (): FinderData => ({ kind: 'guessable', secrets: [...this.#secrets], words });
    const find = (text: string): Range[] =>
      merged([...this.find(text), ...more.find(text).filter((range) => isWord(text, range))]);
    const { version, maxChars, hasSpaces } = this;
    const undecidedFrom = (text: string): number => this.undecidedFrom(text);
    return { version, isEmpty: false, maxChars: Math.max(maxChars, more.maxChars), hasSpaces, find, findBytes: find, undecidedFrom, data }; // prettier-ignore
  }
}

const BASIC = /\b([Bb]asic )[\w+/=-]{4,}/g;
const WORD = /[\p{L}\p{N}]/u;
const DIGIT = /[0-9]/;

/** What has as many letters and digits as the secret, and other signs where it has them. */
function shapeOf(secret: string): Shape {
  const kinds = kindsOf(secret);
  const chars = /^[0-9]+$/.test(secret) ? '0-9' : '0-9a-zA-Z';
  const runs = Array.from(secret.matchAll(/[0-9a-zA-Z]+|[^0-9a-zA-Z]+/g), ([run]) => {
    const isSign = /[^0-9a-zA-Z]/.test(run);
    return isSign ? `[^0-9a-zA-Z]{${run.length}}` : `[${chars}]{${run.length}}`;
  });
  const before = /^[0-9a-zA-Z]/.test(secret) ? `(?<![${chars}])` : '';
  const behind = /[0-9a-zA-Z]$/.test(secret) ? `(?![${chars}])` : '';
  // One may begin inside another.
  return { kinds, words: new RegExp(`${before}(?=(${runs.join('')})${behind})`, 'g') };
}

function kindsOf(word: string): string {
  return (DIGIT.test(word) ? '0' : '') + (/[a-z]/.test(word) ? 'a' : '') + (/[A-Z]/.test(word) ? 'A' : '');
}

/** A number may stand beside letters; everything else stands alone where it begins or ends with a letter or a digit. */
function isWord(text: string, { start, end }: Range): boolean {
  const isNumber = /^[0-9]+$/.test(text.slice(start, end));
  const joins = (inside: string | undefined, outside: string | undefined): boolean => {
    if (inside === undefined || outside === undefined) return false;
    return isNumber ? DIGIT.test(outside) : WORD.test(inside) && WORD.test(outside);
  };
  return !joins(text[start], text[start - 1]) && !joins(text[end - 1], text[end]);
}
