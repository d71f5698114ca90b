import { shellVariableProblem, variableProblem } from './environment-names.ts';
import { ArgumentReader, type Findings, type Mode } from './argument-reader.ts';
import type { Grammar, Role } from './grammar.ts';
import { BUILDS_FOLDER, CLOSED, INTERPRETERS, RECIPES } from './interpreters.ts';
import { namesOf } from './program-name.ts';
import { doubtAbout } from './plain-code.ts';
import { simpleCommands } from './shell-code.ts';
import { runsText } from './telltale-code.ts';
import type { Word, WordPart } from './word.ts';
import { RUNNING_OPTIONS, WRAPPERS } from './wrappers.ts';

/** An argument where it could become code, or decide which code runs. */
interface CommandProblem {
  index: number;
  message: string;
  hint: string;
}

export interface Inspection {
  problems: CommandProblem[];
  /** Arguments that are a whole program text by themselves: the caller writes what runs, so a person sees it first. */
  wholeCode: string[];
  /** Why Forge cannot tell whether an argument stays data; a person is asked then. */
  doubts: string[];
  /** A program that runs what it finds in the folder it starts in; null when there is none. */
  readsFolder: string | null;
}

const OPERAND_HINT = 'Write the code down and pass the argument as an element of its own behind it.';
/** Programs that read a text as a script, where a whole line stands in one element. */
const READS_SCRIPTS = /(?:^|[\s;|&(/='"])(?:eval|(?:ba|da|k|z)?sh\s+-\w*c|python[\d.]*\s+-c|perl\s+-e|node\s+-e)\s/;
const MAX_WORDS = 500;
/** Longer code is not followed, and a person is asked. */
const MAX_CODE_CHARS = 20_000;
/** Interpreters among the words of one command. */
const MAX_LOOKS = 20;
const MAX_PROBLEMS = 20;
/** Programs inside programs; nobody writes more, and each takes its time. */
const MAX_DEPTH = 12;
/** Variables may stand in front of a command. */
const ASSIGNMENTS: Grammar = { operands: ['assignments'] };
const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** What a command or code has and a name, a path or an address has not. */
const LIKE_CODE = /[\s;|&`()'"$<>]/;
/** Programs without a grammar that take every element as it is. */
const ONLY_DATA: ReadonlySet<string> = new Set(
  'echo printf logger wall say notify-send grep egrep fgrep zgrep rg ag ack ls cat head tail cut tr wc uniq paste comm diff cmp column du df stat file date touch mkdir rmdir rm cp mv ln chmod chown ping dig host nslookup whois jo figlet cowsay'.split(
    ' ',
  ),
);

interface InspectOptions {
  /** An argument fills a variable, so code may read it from there. */
  hasVariables?: boolean;
}

/** Finds arguments inside code, wherever a command has some: its own, that of programs it runs, and a shell's. */
export function inspectCommand(words: readonly Word[], { hasVariables = false }: InspectOptions = {}): Inspection {
  const inspector = new Inspector({ hasVariables, depth: 0 });
  const filled = words.find(({ freedom }) => freedom !== 'none');
  if (filled !== undefined && words.length > MAX_WORDS) {
    inspector.refuse(filled, `a command with arguments has at most ${MAX_WORDS} elements`, 'Put it into a script.');
    return inspector.found;
  }
  inspector.command(words);
  if (filled !== undefined || hasVariables) inspector.lookInside(words.slice(1));
  return inspector.found;
}

/** The same for a line that a POSIX shell reads, such as a command for a remote terminal. A whole script in it is a problem as well. */
export function inspectLine(parts: readonly WordPart[]): Pick<Inspection, 'problems' | 'doubts'> {
  if (!parts.some((part) => 'argument' in part)) return { problems: [], doubts: [] };
  const inspector = new Inspector({ hasVariables: false, depth: 0 });
  const doubt = doubtAbout(parts, { shell: 'sh', areDollarsArguments: false });
  if (lengthOf(parts) <= MAX_CODE_CHARS) inspector.line(parts, false);
  const { problems, wholeCode, doubts } = inspector.found;
  const whole = wholeCode.map((name) => ({
    index: 0,
    message: `the argument "${name}" is a script`,
    hint: OPERAND_HINT,
  }));
  return {
    problems: [...problems, ...whole],
    doubts: [...doubts, ...(doubt === null ? [] : [`the line is read as code: ${doubt}`])],
  };
}

class Inspector implements Findings {
  readonly found: Inspection = { problems: [], wholeCode: [], doubts: [], readsFolder: null };
  readonly #hasVariables: boolean;
  readonly #isInCode: boolean;
  #depth: number;

  constructor({ hasVariables, depth, isInCode = false }: { hasVariables: boolean; depth: number; isInCode?: boolean }) {
    this.#hasVariables = hasVariables;
    this.#depth = depth;
    this.#isInCode = isInCode;
  }

  command(words: readonly Word[]): void {
    const [program, ...rest] = words;
    if (program === undefined) return;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#refuseAll('a program this deep inside others', words);
    else if (program.freedom === 'free')
      this.#problem(
        program,
        `the argument "${program.argument}" chooses the program to run`,
        'Write the program down.',
      );
    else this.#program(program.text, rest);
    this.#depth -= 1;
  }

  #program(text: string, words: readonly Word[]): void {
    const names = namesOf(text);
    const name = names[0] ?? '';
    if (isRelative(text)) this.found.readsFolder ??= name;
    if (names.some((known) => BUILDS_FOLDER.has(known))) this.found.readsFolder ??= name;
    if (names.some((known) => CLOSED.has(known))) this.#refuseAll(name, words);
    else if (names.some((known) => RECIPES.has(known))) this.#refuseFree(name, words);
    else if (names.includes('find') || names.includes('gfind')) this.#find(words);
    else {
      const grammar = lookUp(names);
      if (grammar === null) {
        this.#unknown(name, words);
        return;
      }
      if (firstOf(INTERPRETERS, names) !== null && grammar.isShell !== true) this.found.readsFolder ??= name;
      this.#read(name, grammar, 'own', words);
    }
  }

  /** Nobody knows what such a program does with a line that an argument is only a part of. */
  #unknown(name: string, words: readonly Word[]): void {
    if (ONLY_DATA.has(name)) return;
    const line = words.find(
      ({ freedom, isWhole, text }) => freedom === 'free' && !isWhole && LIKE_CODE.test(text.replace(/^--?[\w-]+=/, '')),
    );
    if (line !== undefined)
      this.#doubt(
        `Forge does not know ${printable(name)}, and the element with the argument "${line.argument}" reads like a command or code`,
      );
  }

  line(parts: readonly WordPart[], areDollarsArguments: boolean): void {
    for (const words of simpleCommands(parts, { areDollarsArguments })) {
      this.#read('env', ASSIGNMENTS, 'own', words);
      this.lookInside(words.slice(1));
    }
  }

  /** A place that an argument stands in. */
  place(word: Word, role: Role, program: string, grammar: Grammar): void {
    if (role === 'script' && !isAbsolute(word.text)) this.found.readsFolder ??= program;
    if (word.freedom === 'none') return;
    if (role === 'code' || role === 'joined') {
      if (word.isWhole && word.freedom === 'free') this.found.wholeCode.push(word.argument);
      else
        this.#problem(
          word,
          `the argument "${word.argument}" stands inside code that ${program} reads`,
          grammar.way === undefined ? OPERAND_HINT : `Pass it behind the code: ${grammar.way}.`,
        );
    } else if (word.freedom === 'free' && role !== 'data') {
      this.#problem(
        word,
        `the argument "${word.argument}" decides what ${program} runs`,
        'Write it down, take it from a setting, or declare the parameter with type: select.',
      );
    }
  }

  refuse(word: Word, why: string, hint: string): void {
    if (word.freedom === 'free') this.#problem(word, why, hint);
  }

  assignment(word: Word): void {
    const name = word.head.slice(0, word.head.indexOf('='));
    const problemOf = this.#isInCode ? shellVariableProblem : variableProblem;
    const problem = word.freedom === 'free' ? problemOf(name) : null;
    if (problem !== null)
      this.#problem(word, `the argument "${word.argument}" may not stand here: ${problem}`, VARIABLE_HINT);
  }

  code(word: Word, program: string, isShell: boolean): void {
    if (!isShell) {
      const found = runsText(word.text, program);
      if (found !== null) this.#doubt(`the code for ${program} uses ${found}`);
      return;
    }
    const doubt = doubtAbout([{ text: word.text }], {
      shell: namesOf(program).at(-1) ?? '',
      areDollarsArguments: true,
    });
    if (doubt !== null) this.#doubt(`the code for ${program} reads arguments, and ${doubt}`);
    if (word.text.length > MAX_CODE_CHARS) return;
    const inside = new Inspector({ hasVariables: false, depth: this.#depth, isInCode: true });
    inside.line([{ text: word.text }], true);
    const { problems, wholeCode, doubts } = inside.found;
    for (const each of doubts) this.#doubt(each);
    if (problems.length + wholeCode.length === 0) return;
    const why = problems[0]?.message.replace('the argument ', '') ?? `"${wholeCode[0] ?? ''}" is a script`;
    this.#problem(word, `the code for ${program} runs what an argument says: ${why}`, 'Use "$1" as data only.');
  }

  #read(program: string, grammar: Grammar, mode: Mode, words: readonly Word[]): void {
    new ArgumentReader(this, { program, grammar, mode, hasVariables: this.#hasVariables }).read(words);
  }

  #find(words: readonly Word[]): void {
    let begun: Word[] | null = null;
    for (const word of words) {
      const { head, freedom } = word;
      if (word.mayBeOption)
        this.refuse(
          word,
          `the argument "${word.argument}" may be an option of find, since its parameter has allow_dash`,
          'Remove allow_dash.',
        );
      if (begun === null) {
        if (freedom === 'none' && FIND_RUNS.has(head)) begun = [];
      } else if (freedom === 'none' && (head === ';' || head === '+')) {
        this.command(begun);
        begun = null;
      } else begun.push(word);
    }
    if (begun !== null) this.command(begun);
  }

  /** Whatever the program is: an interpreter among its words reads code as it always does. */
  lookInside(words: readonly Word[]): void {
    let looks = 0;
    for (const [at, word] of words.entries()) {
      if (word.freedom === 'none') {
        const grammar = firstOf(INTERPRETERS, namesOf(word.text));
        if (grammar !== null && (looks += 1) > MAX_LOOKS) {
          this.#doubt('the command names many interpreters');
          return;
        }
        if (grammar !== null) this.#read(namesOf(word.text)[0] ?? '', grammar, 'nested', words.slice(at + 1));
      } else if (!word.isWhole && READS_SCRIPTS.test(word.text)) {
        this.#problem(word, `the argument "${word.argument}" stands inside a script`, OPERAND_HINT);
      }
    }
  }

  #refuseAll(program: string, words: readonly Word[]): void {
    this.found.readsFolder ??= program;
    for (const word of words)
      if (word.freedom !== 'none')
        this.#problem(
          word,
          `${program} reads code, and Forge cannot tell where: the argument "${word.argument}" may not stand in its command`,
          'Put the code into a script of its own and run that, with the argument as an element behind it.',
        );
  }

  #refuseFree(program: string, words: readonly Word[]): void {
    this.found.readsFolder ??= program;
    for (const word of words) this.place(word, 'fixed', program, { operands: [] });
  }

  #doubt(why: string): void {
    if (!this.found.doubts.includes(why) && this.found.doubts.length < MAX_PROBLEMS) this.found.doubts.push(why);
  }

  #problem({ index }: Word, message: string, hint: string): void {
    if (this.found.problems.length >= MAX_PROBLEMS) return;
    const isKnown = this.found.problems.some((other) => other.index === index && other.message === message);
    if (!isKnown) this.found.problems.push({ index, message, hint });
  }
}

function lengthOf(parts: readonly WordPart[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

export const VARIABLE_HINT = 'Give the variable a name of your own, such as ARG_NAME, and read it where you need it.';

/** A program that a setting names has no name yet. */
function printable(name: string): string {
  return /^[\w.+-]+$/.test(name) ? name : 'the program';
}

function isAbsolute(text: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(text);
}

/** `./build.sh`, but not `git`: a name without a folder is looked for on the search path. */
function isRelative(program: string): boolean {
  return /[/\\]/.test(program) && !isAbsolute(program);
}

function lookUp(names: readonly string[]): Grammar | null {
  return firstOf(INTERPRETERS, names) ?? firstOf(WRAPPERS, names) ?? firstOf(RUNNING_OPTIONS, names);
}

function firstOf(table: ReadonlyMap<string, Grammar>, names: readonly string[]): Grammar | null {
  for (const name of names) {
    const grammar = table.get(name);
    if (grammar !== undefined) return grammar;
  }
  return null;
}
