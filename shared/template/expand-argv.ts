import { ForgeError } from '../errors.ts';
import { fillPieces, joinPieces } from './expand-text.ts';
import type { Piece } from './expand-text.ts';
import { tokensIn } from './parse.ts';
import { asTemplate, isSetting, lookUp, settingMissing, unsafe } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import { requireWellFormed } from './url-encode.ts';

export interface ArgvOptions extends ExpandOptions {
  /** Parameters whose value may start with `-`, because the manifest wants options from the caller. */
  readonly allowDash?: ReadonlySet<string>;
}

/** One element of a command that is filled in, with who wrote which part of it. */
export interface FilledElement {
  text: string;
  pieces: readonly Piece[];
  /** Its place in the manifest's list; elements in front of it may have been left out. */
  index: number;
}

/** A command as it is started. */
export function expandArgv(
  command: readonly (string | number | boolean)[],
  scope: Scope,
  options: ArgvOptions,
): string[] {
  return fillElements(command, scope, options).map(({ text }) => text);
}

/** Fills a command, each element on its own: one element stays one element, whatever its value holds (C-99), or is left out. */
export function fillElements(
  command: readonly (string | number | boolean)[],
  scope: Scope,
  options: ArgvOptions,
): FilledElement[] {
  return command.flatMap((element, index) => {
    const template = asTemplate(String(element), scope, options);
    if (index === 0) requireFixedProgram(tokensIn(template));
    const pieces = fillPieces(template, scope, options);
    for (const piece of pieces) checkPiece(piece);
    if (index > 0) requireNoOption(pieces, options);
    const text = joinPieces(pieces);
    if (index === 0 && text === '') throw emptyProgram(pieces);
    return index > 0 && isLeftOut(pieces, scope) ? [] : [{ text, pieces, index }];
  });
}

/**
 * True for an element that only waits for what nobody has given, such as `{args.path}` or `--since={args.since}`: most programs take
 * an empty text for a value. Whoever gives an empty text means it.
 */
function isLeftOut(pieces: readonly Piece[], scope: Scope): boolean {
  const filled = pieces.filter(({ token }) => token !== null);
  const isMissing = ({ token, isEmpty }: Piece): boolean =>
    token === null || (isSetting(token) ? isEmpty : lookUp(scope, token) === undefined);
  return filled.length > 0 && filled.every(isMissing) && /^(?:-[^=]*=)?$/.test(joinPieces(pieces));
}

function requireFixedProgram(tokens: ReturnType<typeof tokensIn>): void {
  const chosen = tokens.find((token) => !isSetting(token));
  if (chosen) throw unsafe(chosen, 'may not choose the program: the manifest or a setting does');
}

function checkPiece({ token, text }: Piece): void {
  if (token) requireWellFormed(text, token);
  if (!text.includes('\0')) return;
  if (token) throw unsafe(token, 'contains a NUL character, which no command can take');
  throw new ForgeError('invalid_manifest', 'The command contains a NUL character.');
}

/** A value must not turn into an option of the program, such as `--upload-pack=…` for git. */
function requireNoOption(pieces: readonly Piece[], options: ArgvOptions): void {
  const first = pieces.find((piece) => piece.text !== '');
  if (!first?.token || isSetting(first.token) || !first.text.startsWith('-')) return;
  const [name = ''] = first.token.path;
  if (first.token.root === 'args' && options.allowDash?.has(name)) return;
  throw unsafe(first.token, 'starts with "-", and the program would read it as an option');
}

function emptyProgram(pieces: readonly Piece[]): ForgeError {
  const token = pieces.find((piece) => piece.token)?.token;
  if (token) return settingMissing(token, 'the command');
  return new ForgeError('invalid_manifest', 'The command does not name a program.');
}
