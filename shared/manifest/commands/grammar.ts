/**
 * What a place in a command is for. `code` is read as a program text, `script` and `fixed` decide what runs or how, `data` is only data.
 * `command`: from here on it is another command. `assignments`: NAME=VALUE, as many as there are, then another command. `joined`: all that is
 * left is one program text. `sub`: a subcommand, which may have a grammar of its own.
 */
export type Role = 'code' | 'script' | 'fixed' | 'data' | 'command' | 'assignments' | 'joined' | 'sub';

/** How a program reads its arguments, as far as it matters where its code stands. Lists are options with spaces between them. */
export interface Grammar {
  /** Letters of options without a value, which may be written together. */
  flags?: string;
  /** Letters whose value is the rest of the same element, if there is one. */
  attached?: string;
  /** Longer options without a value. */
  longs?: string;
  /** Options whose value decides how or what the program runs. */
  values?: string;
  /** Options whose value is only data. */
  data?: string;
  /** Options whose value is NAME=DATA. */
  assign?: string;
  /** Options with a name and then data. */
  pairs?: string;
  /** Options whose value is code. */
  code?: string;
  /** Options whose value names a file with code. */
  scripts?: string;
  /** Those of them behind which everything is data. */
  last?: string;
  /** Those of them behind which nothing is known to be data, unless their value is `harmless`. */
  lastFixed?: string;
  harmless?: RegExp;
  /** Letters without a dash may come first, as for tar. */
  isOldStyle?: boolean;
  /** A letter that makes the first operand code, as in `sh -c`. */
  codeFlag?: string;
  /** Roles of the operands; the last one is that of all further ones. */
  operands: readonly Role[];
  /** Options may follow operands. */
  permutes?: boolean;
  /** Options are written in any case. */
  ignoresCase?: boolean;
  /** An option that is not listed says nothing about what follows it; for programs whose operands are no code. */
  isOpen?: boolean;
  /** A program text or flags for which an operand that looks like a file name is run. */
  runsOperands?: RegExp;
  subs?: Readonly<Record<string, Grammar>>;
  /** What follows a subcommand that is not listed. */
  otherwise?: Grammar;
  /** How an argument reaches the code. */
  way?: string;
  /** The code is read by a POSIX shell. */
  isShell?: boolean;
}

/** An option's list as a set, read once per grammar. */
export function optionsOf(grammar: Grammar, key: OptionList): ReadonlySet<string> {
  let lists = cache.get(grammar);
  if (lists === undefined) cache.set(grammar, (lists = new Map<OptionList, ReadonlySet<string>>()));
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = new Set((grammar[key] ?? '').split(' ').filter(Boolean))));
  return list;
}

export type OptionList = 'longs' | 'values' | 'data' | 'assign' | 'pairs' | 'code' | 'scripts' | 'last' | 'lastFixed';

const cache = new WeakMap<Grammar, Map<OptionList, ReadonlySet<string>>>();

/** One grammar under several names. */
export function named(names: string, grammar: Grammar): [string, Grammar][] {
  return names.split(' ').map((name) => [name, grammar]);
}
