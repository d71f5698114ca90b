import { readPattern, type SshPattern } from '../../../shared/manifest/ssh-pattern.ts';
import type { SshJob } from '../job.ts';
import { matchPattern } from '../match-pattern.ts';
import { answerFor } from './answer-for.ts';

/** What the listener made of what it heard. */
export type Heard =
  | { kind: 'done' }
  | { kind: 'failed'; line: string }
  | { kind: 'prompt' }
  | { kind: 'too-many-answers' };

/** Patterns see this much of what was printed last, whatever a host prints. */
const WINDOW_CHARS = 65_536;
/** A match may begin in what has been looked at already. */
const OVERLAP_CHARS = 4096;
const PROMPT_CHARS = 1000;
/** A host that asks the same for ever is not being answered. */
const MAX_ANSWERS = 50;

interface Answer {
  match: SshPattern;
  send: string;
}

/** Reads along: knows when the host asks something, has finished, has failed or waits for a command. */
export class Listener {
  readonly #prompt: { pattern: SshPattern; lines: number } | null;
  readonly #answers: readonly Answer[];
  readonly #done: SshPattern | null;
  readonly #fail: SshPattern | null;
  readonly #type: (text: string) => void;
  /** What came since something was last typed. */
  #sinceTyped = '';
  /** What done_when and fail_when have not seen yet, with some of what they have. */
  #unseen = '';
  /** What was typed last and has not been echoed yet; an echo is no answer of the host. */
  #echo = '';
  #echoed = '';
  #isWorking = false;
  #answered = 0;

  constructor(job: SshJob, type: (text: string) => void) {
    const { promptRegex } = job;
    this.#prompt =
      promptRegex === null
        ? null
        : { pattern: readPattern(promptRegex, ''), lines: promptRegex.includes('\\n') ? 3 : 1 };
    this.#answers = job.autoAnswer.map(({ match, send }) => ({ match: readPattern(match, 'i'), send }));
    this.#done = job.doneWhen === null ? null : readPattern(job.doneWhen, 'm');
    this.#fail = job.failWhen === null ? null : readPattern(job.failWhen, 'm');
    this.#type = type;
  }

  /** A command goes out: from here on its output counts. What was printed before, such as a greeting, says nothing about it. */
  command(line: string): void {
    this.#isWorking = true;
    this.#typed(`${line}\n`);
  }

  /** The command was started in another way than by typing it. */
  started(): void {
    this.#isWorking = true;
    this.#sinceTyped = '';
  }

  hear(printed: string): Heard | null {
    const text = this.#withoutEcho(printed);
    if (text === '') return null;
    this.#sinceTyped = lastOf(this.#sinceTyped + text);
    if (this.#isWorking) {
      this.#unseen = lastOf(this.#unseen + text);
      const failed = this.#find(this.#fail);
      if (failed !== null) return { kind: 'failed', line: failed };
      if (this.#find(this.#done) !== null) return { kind: 'done' };
      this.#unseen = wholeLines(this.#unseen, OVERLAP_CHARS);
    }
    if (this.#answer()) {
      this.#answered += 1;
      return this.#answered > MAX_ANSWERS ? { kind: 'too-many-answers' } : null;
    }
    return this.#isAtPrompt() ? { kind: 'prompt' } : null;
  }

  /** The line a pattern matched in, or null. */
  #find(pattern: SshPattern | null): string | null {
    if (pattern === null) return null;
    const found = matchPattern(pattern, this.#unseen);
    if (found === null) return null;
    const start = this.#unseen.lastIndexOf('\n', Math.max(0, found.end - 1)) + 1;
    const end = this.#unseen.indexOf('\n', found.end);
    return this.#unseen.slice(start, end === -1 ? undefined : end).trim();
  }

  #answer(): boolean {
    for (const { match, send } of this.#answers) {
      const asked = this.#sinceTyped.slice(-OVERLAP_CHARS);
      const found = matchPattern(match, asked);
      if (found === null) continue;
      this.#typed(answerFor(send, asked));
      return true;
    }
    return false;
  }

  #isAtPrompt(): boolean {
    if (this.#prompt === null) return false;
    const lines = this.#sinceTyped.slice(-PROMPT_CHARS).split('\n').slice(-this.#prompt.lines).join('\n');
    return lines.trim() !== '' && matchPattern(this.#prompt.pattern, lines) !== null;
  }

  #withoutEcho(printed: string): string {
    if (this.#echo === '') return printed;
    const all = this.#echoed + printed;
    if (this.#echo.startsWith(all)) {
      this.#echoed = all;
      return '';
    }
    const text = all.startsWith(this.#echo) ? all.slice(this.#echo.length) : all;
    this.#echo = '';
    this.#echoed = '';
    return text;
  }

  #typed(text: string): void {
    this.#sinceTyped = '';
    this.#echo = text;
    this.#echoed = '';
    this.#type(text);
  }
}

function lastOf(text: string): string {
  return text.length <= WINDOW_CHARS ? text : wholeLines(text, WINDOW_CHARS);
}

/** The last characters, from the beginning of a line if one begins among them: `^` must not match in the middle of one. */
function wholeLines(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(-chars);
  const line = cut.indexOf('\n');
  return line === -1 ? cut : cut.slice(line + 1);
}
