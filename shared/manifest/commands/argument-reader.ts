import { optionsOf, type Grammar, type OptionList, type Role } from './grammar.ts';
import type { Word } from './word.ts';

type Found = { list: OptionList; attached: Word | null } | 'flag' | 'unknown';

/** Who is told what the words are for. */
export interface Findings {
  place(word: Word, role: Role, program: string, grammar: Grammar): void;
  refuse(word: Word, why: string, hint: string): void;
  assignment(word: Word): void;
  /** Another command, which is certain to run. */
  command(words: readonly Word[]): void;
  /** Code that arguments reach as operands or variables. */
  code(word: Word, program: string, isShell: boolean): void;
}

/** `own`: the program is certain to run. `nested`: its name is among the words of another one, so only code behind an option counts. */
export type Mode = 'own' | 'nested';

interface Reading {
  program: string;
  grammar: Grammar;
  mode: Mode;
  /** An argument fills a variable, so code may read it from there. */
  hasVariables: boolean;
}

/** Reads a program's arguments the way the program does, and says what each is for. */
export class ArgumentReader {
  readonly #findings: Findings;
  readonly #program: string;
  readonly #mode: Mode;
  #grammar: Grammar;
  #roles: readonly Role[];
  #operands = 0;
  #areOptionsOver = false;
  /** A word whose meaning is not known came before, so an argument may be anything. */
  #lost: string | null = null;
  /** The code is the next operand. */
  #isCodeNext = false;
  #code: Word | null = null;
  #hasCode = false;
  #runsOperands = false;
  readonly #hasVariables: boolean;

  constructor(findings: Findings, { program, grammar, mode, hasVariables }: Reading) {
    this.#findings = findings;
    this.#program = program;
    this.#grammar = grammar;
    this.#roles = grammar.operands;
    this.#mode = mode;
    this.#hasVariables = hasVariables;
  }

  read(words: readonly Word[]): void {
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at];
      if (word === undefined) return;
      if (at === 0 && this.#grammar.isOldStyle === true) this.#oldStyle(word);
      if (!this.#areOptionsOver && this.#isOption(word)) at += this.#option(word, words, at);
      else if (this.#operand(word, words, at)) return;
      if (this.#mode === 'nested' && this.#hasCode) break;
    }
    if (this.#code === null) return;
    if (this.#hasVariables || words.some(({ freedom }) => freedom === 'free'))
      this.#findings.code(this.#code, this.#program, this.#grammar.isShell === true);
  }

  /** `tar cIf program …`: which value belongs to which letter is not worked out. */
  #oldStyle({ head }: Word): void {
    const letters = head.startsWith('-') ? '' : head;
    for (const letter of letters) if (optionsOf(this.#grammar, 'code').has(`-${letter}`)) this.#lost = head;
  }

  #isOption({ head, freedom, isWhole }: Word): boolean {
    if (freedom === 'free' && (isWhole || head === '')) return false;
    return /^-./.test(head) || (this.#grammar.isShell === true && /^\+./.test(head)) || head === '-';
  }

  /** Answers how many further words belong to the option. */
  #option(word: Word, words: readonly Word[], at: number): number {
    if (word.head === '--' && word.freedom === 'none') {
      this.#areOptionsOver = true;
      return 0;
    }
    if (word.head === '-') return 0;
    if (this.#grammar.runsOperands?.test(word.head) === true) this.#runsOperands = true;
    const found = this.#find(word);
    if (found === 'flag') {
      this.#place(word, 'fixed');
      return 0;
    }
    if (found === 'unknown') return this.#unknown(word);
    const { list, attached } = found;
    if (optionsOf(this.#grammar, 'last').has(this.#nameOf(word))) this.#endWithData();
    const [first, second] = [words[at + 1], words[at + 2]];
    if (optionsOf(this.#grammar, 'lastFixed').has(attached === null ? this.#nameOf(word) : word.head.slice(0, 2)))
      this.#endWithFixed(attached ?? first);
    if (attached !== null) {
      this.#value(attached, list);
      return 0;
    }
    if (first === undefined) return 0;
    if (list === 'pairs') {
      this.#place(first, 'fixed');
      if (second !== undefined) this.#place(second, 'data');
      return 2;
    }
    this.#value(first, list);
    return 1;
  }

  #unknown(word: Word): number {
    if (this.#grammar.isOpen === true) return 0;
    // A value that is written into the same element says nothing about the next one.
    this.#place(word, 'fixed');
    if (!word.head.startsWith('--') || !word.head.includes('=')) this.#lost ??= word.head;
    return 0;
  }

  #value(word: Word, list: OptionList): void {
    switch (list) {
      case 'code':
        this.#isGiven(word);
        this.#place(word, this.#grammar.isOpen === true ? 'fixed' : 'code');
        return;
      case 'scripts':
        this.#hasCode = true;
        this.#place(word, 'script');
        return;
      case 'assign':
        this.#place(word, /^[A-Za-z_]\w*=/.test(word.head) ? 'data' : 'fixed');
        return;
      case 'data':
        this.#place(word, 'data');
        return;
      default:
        this.#place(word, 'fixed');
    }
  }

  /** True when nothing is left to look at. */
  #operand(word: Word, words: readonly Word[], at: number): boolean {
    if (word.mayBeOption && !this.#areOptionsOver && this.#mode === 'own' && this.#hasDangerousOptions())
      this.#findings.refuse(
        word,
        `the argument "${word.argument}" may be an option of ${this.#program}, since its parameter has allow_dash`,
        "Put '--' in front of it, or remove allow_dash.",
      );
    const role = this.#nextRole();
    if (this.#lost !== null && (role === 'command' || role === 'assignments')) {
      // Where the other program begins is not known either.
      for (const each of words.slice(at)) this.#place(each, 'fixed');
      return true;
    }
    switch (role) {
      case 'command':
        if (this.#mode === 'own') this.#findings.command(words.slice(at));
        return true;
      case 'assignments':
        return this.#assignments(words.slice(at));
      case 'joined':
        for (const each of words.slice(at))
          this.#place(at + 1 === words.length ? each : { ...each, isWhole: false }, 'joined');
        return true;
      case 'sub':
        this.#sub(word);
        return false;
      case 'code':
        this.#isGiven(word);
        break;
      case 'script':
        this.#hasCode = true;
        break;
      default:
    }
    this.#place(word, this.#runsOperands && role === 'data' ? 'fixed' : role);
    // Most interpreters take no more options once an operand has come; whoever runs another program waits for that one.
    const { permutes = false, isOpen = false } = this.#grammar;
    if (!permutes && !isOpen && !this.#roles.includes('command')) this.#areOptionsOver = true;
    return false;
  }

  #hasDangerousOptions(): boolean {
    return this.#grammar.isOpen !== true || this.#grammar.code !== undefined;
  }

  #nextRole(): Role {
    if (this.#isCodeNext && !this.#hasCode) return 'code';
    const [first] = this.#roles;
    if (this.#hasCode && (first === 'code' || first === 'script')) {
      // It was given already, by an option or as the operand before.
      this.#roles = this.#roles.slice(1);
      this.#operands = 0;
    }
    const role = this.#roles[Math.min(this.#operands, this.#roles.length - 1)] ?? 'fixed';
    this.#operands += 1;
    return role;
  }

  #assignments(rest: readonly Word[]): boolean {
    const end = rest.findIndex(({ head }) => !/^[A-Za-z_]\w*=/.test(head));
    for (const word of end === -1 ? rest : rest.slice(0, end)) this.#findings.assignment(word);
    if (end !== -1 && this.#mode === 'own') this.#findings.command(rest.slice(end));
    return true;
  }

  #sub(word: Word): void {
    this.#place(word, 'fixed');
    const { subs = {}, otherwise } = this.#grammar;
    const next = Object.hasOwn(subs, word.text) ? subs[word.text] : otherwise;
    if (next === undefined) return;
    this.#grammar = next;
    this.#roles = next.operands;
    this.#operands = 0;
  }

  #isGiven(word: Word): void {
    this.#hasCode = true;
    this.#code = word;
    if (this.#grammar.runsOperands?.test(word.text) === true) this.#runsOperands = true;
  }

  #endWithFixed(value: Word | undefined): void {
    this.#roles = [this.#grammar.harmless?.test(value?.text ?? '') === true ? 'data' : 'fixed'];
    this.#areOptionsOver = true;
  }

  #endWithData(): void {
    this.#roles = ['data'];
    this.#areOptionsOver = true;
  }

  #place(word: Word, role: Role): void {
    if (this.#mode === 'nested' && !(this.#hasCode && role === 'code')) return;
    // Among words of another program a lone argument may be anything, unless an option says that it is code.
    if (this.#mode === 'nested' && word.isWhole && this.#roles[0] === 'code') return;
    if (this.#lost !== null)
      this.#findings.refuse(
        word,
        `the argument "${word.argument}" may be code: Forge does not know whether the option ${this.#lost} of ${this.#program} takes a value`,
        'Write the option as --option=value, or leave it out.',
      );
    else this.#findings.place(word, role, this.#program, this.#grammar);
  }

  #nameOf({ head }: Word): string {
    const text = this.#grammar.ignoresCase === true ? head.toLowerCase() : head;
    const equals = text.indexOf('=');
    return equals === -1 ? text : text.slice(0, equals);
  }

  /** What an option is, by its whole name or by its letters. */
  #find(word: Word): Found {
    const name = this.#nameOf(word);
    const list = this.#listOf(name);
    if (list === 'longs') return 'flag';
    if (list !== null) return { list, attached: attachedTo(word, name) };
    if (word.head.startsWith('--')) return this.#abbreviated(word, name);
    return this.#grammar.ignoresCase === true ? 'unknown' : this.#letters(word);
  }

  /** Most programs take the beginning of a long option for all of it. */
  #abbreviated(word: Word, name: string): Found {
    const isCode = name.length > 2 && [...optionsOf(this.#grammar, 'code')].some((option) => option.startsWith(name));
    return isCode ? { list: 'code', attached: attachedTo(word, name) } : 'unknown';
  }

  #listOf(name: string): OptionList | null {
    return LISTS.find((list) => optionsOf(this.#grammar, list).has(name)) ?? null;
  }

  /** Letters behind one dash: some are flags, and the first that takes a value takes the rest. */
  #letters(word: Word): Found {
    const { flags = '', attached = '', codeFlag, isOpen } = this.#grammar;
    const sign = word.head.slice(0, 1);
    for (let at = 1; at < word.head.length; at += 1) {
      const letter = word.head[at] ?? '';
      if (letter === codeFlag && sign === '-') this.#isCodeNext = true;
      else if (attached.includes(letter)) return 'flag';
      else if (!flags.includes(letter)) {
        const list = this.#listOf(`${sign}${letter}`);
        // An open program's letters are not all known: one that takes code counts wherever it stands.
        if (isOpen === true && list !== 'code' && (list === null || at > 1)) continue;
        if (list === null || list === 'longs') return 'unknown';
        const hasRest = at + 1 < word.head.length || word.freedom === 'free';
        return { list, attached: hasRest ? valueOf(word, at + 1) : null };
      }
    }
    return isOpen === true ? 'unknown' : 'flag';
  }
}

const LISTS: readonly OptionList[] = ['code', 'scripts', 'values', 'assign', 'pairs', 'data', 'longs'];

/** The value in the same element, behind `=` or without it; null when it is the next element. */
function attachedTo(word: Word, name: string): Word | null {
  if (word.head.length > name.length) return valueOf(word, name.length + 1);
  return word.freedom === 'free' ? valueOf(word, name.length) : null;
}

/** The part of a word behind its option; it is not whole, since the option stands in front of it. */
function valueOf(word: Word, from: number): Word {
  return { ...word, head: word.head.slice(from), text: word.text.slice(from), isWhole: false };
}
