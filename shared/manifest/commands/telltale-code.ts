import { notPlainIn } from './plain-words.ts';

/** Words by which a program text runs another text, by the language's family. What is missing here is found by what is plain. */
const TELLTALES: readonly (readonly [programs: RegExp, words: RegExp])[] = [
  [
    /^(?:python|pypy|ipython|jython|micropython)/,
    /\b(?:exec|eval|compile|__import__|import_module|system|popen|subprocess|spawn\w*|runpy|pty)\b/,
  ],
  [
    /^(?:node|tsx|ts-node|bun|deno)/,
    /\b(?:eval|Function|child_process|exec\w*|spawn\w*|fork|vm|constructor)\b|\b(?:require|import)\s*\(\s*[^'")\s]/,
  ],
  [/^perl/, /\b(?:eval|system|exec|qx|open|do|require)\b|`|\/[a-z]*e[a-z]*\s*[;,)}]/],
  [
    /^(?:j|truffle)?ruby/,
    /\b(?:eval|system|exec|spawn|popen\w*|send|public_send|__send__|load|require|open|instance_eval|class_eval)\b|`|%x/,
  ],
  [
    /^php/,
    /\b(?:eval|system|exec|shell_exec|passthru|popen|proc_open|assert|include|require|include_once|require_once|call_user_func\w*)\b|`/,
  ],
  [/awk$/, /\bsystem\s*\(|(?:^|[^|])\|(?:[^|]|$)|\bgetline\b|@\w/],
  [/^(?:lua|luajit|texlua)/, /\b(?:load|loadstring|dofile|loadfile|execute|popen|require)\b/],
  // Their own code is written down, and what they are given beside it stays data.
  [/^(?:jq|gojq|jaq|g?sed|ssed|psql|mysql|mariadb|sqlite3?|duckdb|clickhouse-client)$/, /(?!)/],
];

/** What in a program text could run an argument, or null. Of a language that is not listed any text could. */
export function runsText(code: string, program: string): string | null {
  const found = TELLTALES.find(([programs]) => programs.test(program));
  if (found === undefined) return 'a language that Forge does not read';
  return found[1].exec(code)?.[0].trim() ?? notPlainIn(code, program) ?? null;
}
