import { shellVariableProblem } from './environment-names.ts';
import { BUILDS_FOLDER, CLOSED, INTERPRETERS, RECIPES } from './interpreters.ts';
import { namesOf } from './program-name.ts';
import type { WordPart } from './word.ts';
import { WRAPPERS } from './wrappers.ts';

/**
 * Whether a shell's code that arguments reach is plain enough to be followed: commands, pipes, quotes, conditions and loops, with arguments as operands
 * only. This is no list of dangers. What is not on the short list of things understood here is a doubt, and a person is asked.
 */
export function doubtAbout(parts: readonly WordPart[], { shell, areDollarsArguments }: CodeOptions): string | null {
  if (/^t?csh$/.test(shell)) return `Forge does not read the language of ${shell}`;
  const text = parts.map((part) => ('argument' in part && part.freedom === 'free' ? ARGUMENT : part.text)).join('');
  if (text.length > MAX_CHARS) return 'the code is long';
  const reader = new PlainReader(text, areDollarsArguments);
  reader.read(0, '');
  return reader.doubt ?? doubtInCommands(reader, /^(?:ba|da|a)?sh$/.test(shell));
}

interface CodeOptions {
  /** The name of the shell. */
  shell: string;
  /** What a `$` stands for is an argument, as in a script whose operands a caller fills. */
  areDollarsArguments: boolean;
}

interface PlainWord {
  text: string;
  hasArgument: boolean;
}

interface PlainCommand {
  words: PlainWord[];
  /** Files that it writes. */
  writes: PlainWord[];
}

/** Stands for an argument in the text of a line. */
const ARGUMENT = '\u0002';
const MAX_CHARS = 20_000;
const MAX_DEPTH = 20;
const SIMPLE_EXPANSION = /^\$(?:\{(?:\w+|[@*#?!$-])(?::?[-+][\w./:@ -]*)?\}|\w+|[@*#?$!-])/;
const KNOWN_EXPANSION = /^\$(?:[?$#!-]|\{?(?:HOME|PWD|USER|LOGNAME|TMPDIR|LANG|TZ|XDG_\w+|LC_\w+)\}?)$/;

class PlainReader {
  readonly commands: PlainCommand[] = [];
  doubt: string | null = null;
  readonly #text: string;
  readonly #areDollarsArguments: boolean;
  #depth = 0;

  constructor(text: string, areDollarsArguments: boolean) {
    this.#text = text;
    this.#areDollarsArguments = areDollarsArguments;
  }

  /** Reads commands up to `end`, and answers the place behind it. */
  read(from: number, end: '' | ')'): number {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#doubt('commands inside commands inside others');
    const text = this.#text;
    let command: PlainCommand = { words: [], writes: [] };
    const under: { word: PlainWord | null; target: 'read' | 'write' | null } = { word: null, target: null };
    let quote = '';
    let at = from;
    const open = (): PlainWord => (under.word ??= { text: '', hasArgument: false });
    const endWord = (): void => {
      if (under.word === null) return;
      if (under.target === null) command.words.push(under.word);
      else if (under.target === 'write') command.writes.push(under.word);
      [under.word, under.target] = [null, null];
    };
    const endCommand = (): void => {
      endWord();
      if (command.words.length + command.writes.length > 0) this.commands.push(command);
      command = { words: [], writes: [] };
      under.target = null;
    };
    while (at < text.length && this.doubt === null) {
      const char = text[at] ?? '';
      const next = text[at + 1] ?? '';
      at += 1;
      if (char === ARGUMENT) open().hasArgument = true;
      else if (quote === "'") {
        if (char === "'") quote = '';
        else open().text += char;
      } else if (char === '\\') {
        if (next !== '\n') open().text += next;
        at += 1;
      } else if (char === '$') at = this.#dollar(at - 1, quote, open());
      else if (char === '`') this.#doubt('`…`');
      else if (quote === '"') {
        if (char === '"') quote = '';
        else open().text += char;
      } else if (char === '"' || char === "'") {
        quote = char;
        open();
      } else if (char === '#' && under.word === null) at = lineEnd(text, at);
      else if (char === '(') {
        if (under.word !== null || next === '(') this.#doubt(under.word === null ? '((…))' : 'a function');
        endCommand();
      } else if (char === ')') {
        endCommand();
        if (end === ')') break;
      } else if (char === '<' || char === '>') {
        if (next === '(' || (char === '<' && next === '<')) this.#doubt(`${char}${next}`);
        // The number in front of it is no word.
        if (/^\d$/.test(under.word?.text ?? '')) under.word = null;
        endWord();
        under.target = char === '<' ? 'read' : 'write';
        if (next === '>' || next === '|' || next === '&') at += 1;
      } else if (/[\n;|]/.test(char)) endCommand();
      else if (char === '&') {
        if (next === '>') endWord();
        else endCommand();
      } else if (/\s/.test(char)) endWord();
      else open().text += char;
    }
    endCommand();
    this.#depth -= 1;
    return at;
  }

  /** What a dollar stands for; answers the place behind it. */
  #dollar(at: number, quote: string, word: PlainWord): number {
    const text = this.#text;
    const next = text[at + 1] ?? '';
    if (text.startsWith('$((', at) || next === '[') this.#doubt('arithmetic');
    else if (quote === '' && (next === "'" || next === '"')) this.#doubt(`$${next}…${next}`);
    else if (next === '(') {
      // What a command prints may be what an argument says.
      word.hasArgument = true;
      return this.read(at + 2, ')');
    } else {
      const name = SIMPLE_EXPANSION.exec(text.slice(at, at + 200))?.[0];
      if (name !== undefined) {
        if (this.#areDollarsArguments && !KNOWN_EXPANSION.test(name)) word.hasArgument = true;
        else word.text += name;
        return at + name.length;
      }
      if (next === '{') this.#doubt('${…}');
      word.text += '$';
    }
    return at + 1;
  }

  #doubt(what: string): void {
    this.doubt ??= `Forge does not follow ${what} in it`;
  }
}

/** Words in front of a command. */
const PREFIXES: ReadonlySet<string> = new Set(
  'if then else elif fi do done while until ! { } esac exec command nohup time'.split(' '),
);
const ASSIGNING: ReadonlySet<string> = new Set('local export readonly declare typeset'.split(' '));
/** Builtins that read code, or put something in the place of a program or a variable. */
const NEVER_PLAIN: ReadonlySet<string> = new Set(
  'eval trap alias function coproc mapfile readarray select let enable bind complete compgen getopts fc hash builtin source .'.split(
    ' ',
  ),
);
/** Interpreters whose input is data. */
const READS_DATA = /^(?:[gmn]?awk|original-awk|goawk|g?sed|ssed|jq|gojq|jaq)$/;
const NUMBER_TESTS: ReadonlySet<string> = new Set('-eq -ne -lt -le -gt -ge'.split(' '));

function doubtInCommands({ commands }: PlainReader, hasPlainTests: boolean): string | null {
  for (const command of commands) {
    const doubt = doubtInCommand(command.words, hasPlainTests);
    if (doubt !== null) return doubt;
  }
  // Through a pipe or a file, what one command is given reaches another, whichever of them comes first: they may stand in a loop.
  for (const command of commands) {
    const run = runsWhatItReads(command.words);
    if (run !== null && commands.some((other) => other !== command && handsOn(other))) return run;
  }
  return null;
}

/** Programs that only look at what they are given, or at variables. */
const LOOKS_ONLY = /^(?:test|\[\[?|for|case|set|shift|unset|return|exit)$/;

/** Whether an argument may go from a command to others: by what it prints, or by a file. */
function handsOn({ words, writes }: PlainCommand): boolean {
  if (writes.some(({ hasArgument }) => hasArgument)) return true;
  // Assignments alone: variables are arguments wherever they stand.
  const named = words.filter(({ text }) => !/^\w+=/.test(text));
  if (named.length === 0 || LOOKS_ONLY.test(programOf(named)?.text ?? '')) return false;
  return words.some(({ hasArgument }) => hasArgument);
}

const SYSTEM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?s?bin\//;
/** Options by which a program whose own code is written down reads more of it from a file, or from a pipe. */
const CODE_FILES: readonly (readonly [programs: RegExp, options: RegExp])[] = [
  [/awk$/, /^(?:-[a-zA-Z]*[fEil]|--(?:f|ex|i|lo))/],
  [/sed$/, /^(?:-[nErsuzb]*f|--fi)/],
  [/^(?:jq|gojq|jaq)$/, /^(?:-[a-zA-Z]*[fL]|--(?:fr|li))/],
];

/** Why a command may run what another one has printed or written; null when it does not. */
function runsWhatItReads(words: readonly PlainWord[]): string | null {
  const program = programOf(words);
  if (program === undefined) return null;
  const { text } = program;
  if (text.includes('/') && !SYSTEM_FOLDERS.test(text)) return `it may write ${text} and run it`;
  const names = namesOf(text);
  const reads = CODE_FILES.find(([programs]) => names.some((name) => programs.test(name)))?.[1];
  if (reads !== undefined && words.some((word) => reads.test(word.text)))
    return `${text} may read what an argument says as code`;
  return names.some((name) => RECIPES.has(name) || BUILDS_FOLDER.has(name))
    ? `${text} may run what an argument says`
    : null;
}

function programOf(words: readonly PlainWord[]): PlainWord | undefined {
  return words.find(({ text, hasArgument }) => hasArgument || !(PREFIXES.has(text) || /^\w+=/.test(text)));
}

function doubtInCommand(all: readonly PlainWord[], hasPlainTests: boolean): string | null {
  let words = all;
  for (let [first] = words; first !== undefined; [first] = words) {
    const name = /^([A-Za-z_]\w*)(\[)?.*?\+?=/s.exec(first.text);
    if (name !== null) {
      if (first.hasArgument && (name[2] !== undefined || shellVariableProblem(name[1] ?? '') !== null))
        return `it sets ${name[1] ?? ''}`;
    } else if (first.hasArgument || !PREFIXES.has(first.text)) break;
    words = words.slice(1);
  }
  const [program, ...rest] = words;
  if (program === undefined) return null;
  if (program.hasArgument) return 'an argument may name a program';
  const hasArgument = rest.some((word) => word.hasArgument);
  const text = program.text;
  // A signal that is ignored, or no longer caught, runs nothing.
  if (text === 'trap' && !hasArgument && /^-?$/.test(rest[0]?.text ?? 'x')) return null;
  if (NEVER_PLAIN.has(text)) return `it uses ${text}`;
  if (text === 'for') return doubtAboutNames(rest.slice(0, 1));
  if (text === 'case') return null;
  if (ASSIGNING.has(text)) return doubtAboutAssignments(text, rest);
  if (text === 'read') return doubtAboutNames(rest.filter(({ text: word }) => !/^-[rs]+$/.test(word)));
  if (text === 'unset' || text === 'set' || text === 'shift') return null;
  if (text === 'cd' || text === 'pushd') return hasArgument ? 'an argument names the folder it works in' : null;
  if (text === 'printf' && rest.some(({ text: word }) => word.startsWith('-v'))) return 'it sets a variable by printf';
  if (/^(?:test|\[\[?)$/.test(text)) return hasArgument ? doubtAboutTest(text, rest, hasPlainTests) : null;
  return doubtAboutProgram(text, rest);
}

/** `local x="$1"` and the like, for variables that mean nothing to anybody else. */
function doubtAboutAssignments(keyword: string, rest: readonly PlainWord[]): string | null {
  for (const { text, hasArgument } of rest) {
    const name = /^[A-Za-z_]\w*(?==|$)/.exec(text)?.[0];
    if (text === '-r' || (name !== undefined && (!hasArgument || shellVariableProblem(name) === null))) continue;
    if (hasArgument || text.startsWith('-')) return `it sets variables by ${keyword}`;
  }
  return null;
}

function doubtAboutNames(words: readonly PlainWord[]): string | null {
  const wrong = words.find(
    ({ text, hasArgument }) => hasArgument || !/^[A-Za-z_]\w*$/.test(text) || shellVariableProblem(text) !== null,
  );
  return wrong === undefined ? null : `it sets ${wrong.hasArgument ? 'a variable that an argument names' : wrong.text}`;
}

/** A number in `[[` is arithmetic, which runs commands; in `[` it is, too, for some shells. `-v` reads a name the same way. */
function doubtAboutTest(keyword: string, rest: readonly PlainWord[], hasPlainTests: boolean): string | null {
  const wrong = rest.find(
    ({ text }) => text === '-v' || text === '-R' || (NUMBER_TESTS.has(text) && (keyword === '[[' || !hasPlainTests)),
  );
  return wrong === undefined ? null : `${keyword} … ${wrong.text} reads code`;
}

/** Programs that read their input as a shell's code if they are given no command. */
const STARTS_SHELL: ReadonlySet<string> = new Set(
  'su runuser chroot unshare nsenter script ssh mosh autossh sshpass rsh dbclient plink firejail systemd-run fakeroot'.split(
    ' ',
  ),
);
const STARTS_SUDO_SHELL = /^(?:-[a-zA-Z]*[si]|--(?:sh|lo))/;

function doubtAboutProgram(text: string, rest: readonly PlainWord[]): string | null {
  const names = namesOf(text);
  const isCode = (name: string): boolean => INTERPRETERS.has(name) && !READS_DATA.test(name);
  if (names.some(isCode)) return `it runs ${text}, which reads code`;
  if (names.some((name) => name === 'xargs' || CLOSED.has(name))) return `it runs ${text}`;
  if (names.some((name) => STARTS_SHELL.has(name))) return `it runs ${text}, which may start a shell`;
  if (names.includes('sudo') && rest.some((word) => STARTS_SUDO_SHELL.test(word.text)))
    return 'it runs a shell by sudo';
  if (names.some((name) => /^g?find$/.test(name)) && rest.some((word) => /^-(?:exec|ok)/.test(word.text)))
    return 'it runs programs by find';
  const isWrapper = names.some((name) => WRAPPERS.has(name));
  const inner = isWrapper
    ? rest.find((word) => namesOf(word.text).some((name) => isCode(name) || name === 'xargs'))
    : undefined;
  return inner === undefined ? null : `it runs ${inner.text}, which reads code`;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
