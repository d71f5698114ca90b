import { wordOf, type Word, type WordPart } from './word.ts';

type Quote = '' | "'" | '"';

interface Level {
  words: Word[];
  parts: WordPart[];
  quote: Quote;
  /** The word under way is where a redirection goes, and no operand. */
  isTarget: boolean;
  hasWord: boolean;
  /** What ends it: `)` or a backtick. */
  end: string;
}

interface CodeOptions {
  /** What a `$` stands for is an argument, as in a script whose operands a caller fills. */
  areDollarsArguments: boolean;
}

/** Commands inside commands. */
const MAX_LEVELS = 50;
/** Words that a command may follow. */
const BEFORE_A_COMMAND: ReadonlySet<string> = new Set('if then else elif do while until ! {'.split(' '));
/** Words that begin something that runs nothing by itself. */
const NO_COMMAND: ReadonlySet<string> = new Set(
  'for case select function in fi done esac } ;; [[ local export declare typeset readonly return exit break continue shift unset set'.split(
    ' ',
  ),
);

/**
 * The simple commands of a line or script for a POSIX shell, each as words without their quotes. Made to find where arguments go, so
 * what it does not understand ends up as one more command rather than as nothing.
 */
export function simpleCommands(parts: readonly WordPart[], { areDollarsArguments }: CodeOptions): Word[][] {
  return new CodeReader(areDollarsArguments).read(parts);
}

class CodeReader {
  readonly #areDollarsArguments: boolean;
  readonly #commands: Word[][] = [];
  readonly #outer: Level[] = [];
  #level: Level = newLevel('');
  #isTooDeep = false;

  constructor(areDollarsArguments: boolean) {
    this.#areDollarsArguments = areDollarsArguments;
  }

  read(parts: readonly WordPart[]): Word[][] {
    for (const part of parts) {
      if ('argument' in part) this.#add(part);
      else this.#text(part.text);
    }
    while (this.#outer.length > 0) this.#close();
    this.#endCommand();
    if (this.#isTooDeep) this.#commands.push([wordOf([{ argument: '$(…)', freedom: 'free', text: '' }], 0)]);
    return this.#commands;
  }

  #text(text: string): void {
    for (let at = 0; at < text.length; at += 1) at += this.#char(text, at);
  }

  /** Answers how many further characters it has taken. */
  #char(text: string, at: number): number {
    const char = text[at] ?? '';
    const { quote } = this.#level;
    if (quote === "'") {
      if (char === "'") this.#level.quote = '';
      else this.#literal(char);
      return 0;
    }
    if (char === '\\') {
      if (text[at + 1] !== '\n') this.#literal(text[at + 1] ?? '');
      return 1;
    }
    if (char === '$') return this.#dollar(text, at);
    if (char === '`') {
      if (this.#level.end === '`') this.#close();
      else this.#open('`');
      return 0;
    }
    if (quote === '"') {
      if (char === '"') this.#level.quote = '';
      else this.#literal(char);
      return 0;
    }
    return this.#unquoted(char, text, at);
  }

  #unquoted(char: string, text: string, at: number): number {
    if (char === '"' || char === "'") {
      this.#level.quote = char;
      this.#level.hasWord = true;
    } else if (char === '#' && !this.#level.hasWord) {
      const end = text.indexOf('\n', at);
      return (end === -1 ? text.length : end) - at - 1;
    } else if (char === ')' && this.#level.end === ')') this.#close();
    else if (/[\n;|&()]/.test(char)) {
      // `2>&1` goes on with the same command.
      if (char === '&' && this.#level.isTarget && !this.#level.hasWord) return 0;
      this.#endCommand();
    } else if (char === '<' || char === '>') {
      this.#endWord();
      this.#level.isTarget = true;
    } else if (/\s/.test(char)) this.#endWord();
    else this.#literal(char);
    return 0;
  }

  #dollar(text: string, at: number): number {
    if (text[at + 1] === '(') {
      this.#expansion('$(…)');
      this.#open(')');
      return 1;
    }
    const name = /^\$(?:\{[^}]*\}?|\w+|[@*#?$!-])/.exec(text.slice(at, at + 200))?.[0];
    if (name === undefined) {
      this.#literal('$');
      return 0;
    }
    this.#expansion(name);
    return name.length - 1;
  }

  #expansion(name: string): void {
    if (this.#areDollarsArguments && !isKnown(name)) this.#add({ argument: name, freedom: 'free', text: '' });
    else this.#literal(name);
  }

  #literal(text: string): void {
    this.#add({ text });
  }

  #add(part: WordPart): void {
    const { parts } = this.#level;
    const last = parts.at(-1);
    if (last !== undefined && !('argument' in last) && !('argument' in part))
      parts[parts.length - 1] = { text: last.text + part.text };
    else parts.push(part);
    this.#level.hasWord = true;
  }

  #open(end: string): void {
    this.#level.hasWord = true;
    if (this.#outer.length >= MAX_LEVELS) {
      // Whatever stands in there, it is not read: it counts as a program that anybody may choose.
      this.#isTooDeep = true;
      return;
    }
    this.#outer.push(this.#level);
    this.#level = newLevel(end);
  }

  #close(): void {
    this.#endCommand();
    this.#level = this.#outer.pop() ?? newLevel('');
  }

  #endWord(): void {
    const level = this.#level;
    if (!level.hasWord) return;
    if (level.isTarget) level.isTarget = false;
    else level.words.push(wordOf(level.parts, level.words.length));
    level.parts = [];
    level.hasWord = false;
  }

  #endCommand(): void {
    this.#endWord();
    const { words } = this.#level;
    this.#level.words = [];
    this.#level.isTarget = false;
    let first = 0;
    while (isPlain(words[first], BEFORE_A_COMMAND)) first += 1;
    const command = words.slice(first);
    if (command.length > 0 && !isPlain(command[0], NO_COMMAND)) this.#commands.push(command);
  }
}

function isPlain(word: Word | undefined, words: ReadonlySet<string>): boolean {
  return word?.freedom === 'none' && words.has(word.text);
}

/** Numbers of the shell's own, and places that Forge hands on from the person's account. */
function isKnown(expansion: string): boolean {
  return /^\$(?:[?$#!-]|\{?(?:HOME|PWD|USER|LOGNAME|TMPDIR|LANG|TZ|XDG_\w+|LC_\w+)\}?)$/.test(expansion);
}

function newLevel(end: string): Level {
  return { words: [], parts: [], quote: '', isTarget: false, hasWord: false, end };
}
