import { ForgeError } from '../errors.ts';
import { fillPieces, joinPieces, type Piece } from './expand-text.ts';
import { asTemplate, isSetting, lookUp, unsafe, type ExpandOptions, type Scope } from './scope.ts';
import type { Token } from './parse.ts';
import { requireWellFormed } from './url-encode.ts';

/** `strict` knows nothing about whoever reads the line, so it refuses; `posix` quotes for a POSIX shell. */
export type Quoting = 'strict' | 'posix';

export interface CommandLineOptions extends ExpandOptions {
  readonly quoting: Quoting;
  /** Parameters whose value may start with `-`, because the manifest wants options from the caller. */
  readonly allowDash?: ReadonlySet<string>;
}

type Quote = '' | "'" | '"';

/** Where in a line the reader stands, as far as the template's own text says. */
interface Place {
  quote: Quote;
  /** The next word names a program. */
  isCommand: boolean;
  /** The word so far. */
  word: string;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Inside these a shell reads the text once more, so quotes around them say nothing. */
const READ_AGAIN = /\$\(|`|<<|\$'/;

// Words after which the program's name is still to come.
const BEFORE_A_COMMAND = /^(?:\w+=.*|sudo|doas|env|exec|nohup|time|command|xargs|nice)$/;
// Means itself at every prompt: a POSIX shell, cmd.exe, PowerShell, the command line of a switch.
const PLAIN = /^[\p{L}\p{N}\p{M}_./:=,+@-]*$/u;
const PLAIN_POSIX = /^[A-Za-z0-9_./:=,+@%-]+$/;
// What ends a quoted text or is read inside one, by any of them; PowerShell takes typographic quotes for quotes.
const ENDS: Record<Exclude<Quote, ''>, RegExp> = { "'": /['\\\u2018-\u201b]/u, '"': /["\\$`%!\u201c-\u201f]/u };

/**
 * Fills one line for a remote prompt: whatever a value holds, it stays the part of the line it stands for. Null when the line is
 * one argument that nobody has given.
 */
export function expandCommandLine(source: string, scope: Scope, options: CommandLineOptions): string | null {
  const template = asTemplate(source.trim(), scope, options);
  const pieces = fillPieces(template, scope, options);
  for (const piece of pieces) checkPiece(piece);
  const [first, ...rest] = pieces;
  if (first?.token !== undefined && first.token !== null && rest.length === 0) {
    return first.isEmpty ? null : first.text;
  }
  const isReadAgain = READ_AGAIN.test(literalOf(pieces));
  const place: Place = { quote: '', isCommand: true, word: '' };
  let line = '';
  for (const { token, text } of pieces) {
    if (token === null) {
      advance(place, text);
      line += text;
      continue;
    }
    const isMissing = lookUp(scope, token) === undefined;
    const written = isMissing
      ? ''
      : write(text, token, isReadAgain ? { ...place, quote: '' } : place, options, isReadAgain);
    place.word += written;
    line += written;
  }
  return line.trim();
}

function literalOf(pieces: readonly Piece[]): string {
  return joinPieces(pieces.filter(({ token }) => token === null));
}

function checkPiece({ token, text }: Piece): void {
  if (token) requireWellFormed(text, token);
  if (!CONTROL.test(text)) return;
  if (token) throw unsafe(token, 'contains a line break or another control character, which would end the command');
  throw new ForgeError('invalid_manifest', 'A command of the tool contains a line break or another control character.');
}

/** Follows the template's own text, as a shell would read it. */
function advance(place: Place, text: string): void {
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (char === '\\' && place.quote !== "'") {
      place.word += text.slice(index, index + 2);
      index += 1;
    } else if (place.quote !== '') {
      if (char === place.quote) place.quote = '';
      place.word += char;
    } else if (/[\s;|&(]/.test(char)) {
      endWord(place, char);
    } else {
      if (char === "'" || char === '"') place.quote = char;
      place.word += char;
    }
  }
}

/** Behind a program's name come its operands, and behind a separator comes the next program. */
function endWord(place: Place, separator: string): void {
  if (/[;|&(]/.test(separator)) place.isCommand = true;
  else if (place.word !== '' && !BEFORE_A_COMMAND.test(place.word)) place.isCommand = false;
  place.word = '';
}

function write(text: string, token: Token, place: Place, options: CommandLineOptions, isReadAgain: boolean): string {
  const isFromCall = !isSetting(token);
  if (isFromCall && place.isCommand) throw unsafe(token, 'may not choose the command: the manifest does');
  if (isFromCall && /^["']?$/.test(place.word)) requireNoOption(text, token, options);
  if (options.quoting === 'posix' && !isReadAgain) return quoteForShell(text, token, place.quote);
  // What a person saved may be several words; it is their own host that reads them.
  if (isFromCall) requirePlain(text, token, place.quote);
  return text;
}

function requireNoOption(text: string, token: Token, { allowDash }: CommandLineOptions): void {
  if (!text.startsWith('-') || allowDash?.has(token.path[0] ?? '') === true) return;
  throw unsafe(token, 'starts with "-", and the command would read it as an option');
}

function requirePlain(text: string, token: Token, quote: Quote): void {
  const found = quote === '' ? firstSpecial(text) : ENDS[quote].exec(text)?.[0];
  if (found === undefined) return;
  throw unsafe(token, `contains ${JSON.stringify(found)}, which could end or change the command`);
}

function firstSpecial(text: string): string | undefined {
  return Array.from(text).find((char) => !PLAIN.test(char));
}

function quoteForShell(text: string, token: Token, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", `'\\''`);
  if (quote === '') return PLAIN_POSIX.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  // An interactive bash reads `!` even between double quotes, and a backslash before it would stay.
  if (text.includes('!')) throw unsafe(token, 'contains "!", which a shell reads between double quotes');
  return text.replaceAll(/[\\$`"]/g, '\\$&');
}
