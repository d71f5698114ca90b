import { isSetting } from '../../template/scope.ts';
import { parseTemplate, type Template, type Token } from '../../template/parse.ts';
import type { Parameter } from '../schema/tool.ts';

/**
 * How far an argument decides about a text. `choice`: a number, a yes or no, or one of the manifest's own words. `free`: anything.
 */
type Freedom = 'none' | 'choice' | 'free';

/** One element of a command, as far as it is known who wrote it. */
export interface Word {
  /** Its place in the manifest's list. */
  readonly index: number;
  /** The text in front of the first free argument. */
  readonly head: string;
  /** All of the text that no free argument decides. */
  readonly text: string;
  readonly freedom: Freedom;
  /** The first argument in it, for messages. */
  readonly argument: string;
  /** One argument and nothing else. */
  readonly isWhole: boolean;
  /** Begins with an argument that may start with a dash. */
  readonly mayBeOption: boolean;
}

/** A piece of a word: text of the manifest or of a setting, or an argument. `text` is what is known of a choice. */
export type WordPart =
  | { readonly text: string }
  | {
      readonly argument: string;
      readonly freedom: 'choice' | 'free';
      readonly text: string;
      readonly allowDash?: boolean;
    };

/** What may be known of a tool's parameters. */
export type Parameters = Readonly<Record<string, Pick<Parameter, 'type' | 'allow_dash'>>>;

const BOUNDED: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'select']);
/** Stands for a value that nobody knows yet; no program is called like this and no option either. */
const UNKNOWN = '\u0001';

/** True for a parameter whose values the manifest has fixed, so that no caller can write a text of their own. */
export function isBounded(parameters: Parameters, name: string): boolean {
  const type = Object.hasOwn(parameters, name) ? parameters[name]?.type : undefined;
  return type !== undefined && BOUNDED.has(type);
}

/** What a token is for a command: a setting is a person's own text, everything else comes from a call. */
export function partOf(token: Token, parameters: Parameters, text: string): WordPart {
  if (isSetting(token)) return { text };
  const name = token.root === 'args' ? (token.path[0] ?? '') : token.source;
  if (token.root === 'args' && token.path.length === 1 && isBounded(parameters, name))
    return { argument: name, freedom: 'choice', text };
  const allowDash = parameters[name]?.allow_dash === true;
  return { argument: name, freedom: 'free', text: '', allowDash };
}

/** A template as a word, before anything is filled in. */
export function wordOfTemplate(
  source: string,
  index: number,
  names: ReadonlySet<string>,
  parameters: Parameters,
): Word {
  return wordOf(partsOfTemplate(parseTemplate(source, names), parameters), index);
}

export function partsOfTemplate(template: Template, parameters: Parameters): WordPart[] {
  return template.parts.map((part) =>
    part.kind === 'text' ? { text: part.text } : partOf(part.token, parameters, UNKNOWN),
  );
}

export function wordOf(parts: readonly WordPart[], index: number): Word {
  let head = '';
  let text = '';
  let freedom: Freedom = 'none';
  let argument = '';
  for (const part of parts) {
    text += part.text;
    if ('argument' in part) {
      if (argument === '') argument = part.argument;
      if (freedom !== 'free') freedom = part.freedom;
    }
    if (freedom !== 'free') head += part.text;
  }
  const [first, ...rest] = parts.filter((part) => 'argument' in part || part.text !== '');
  const isArgument = first !== undefined && 'argument' in first;
  return {
    ...{ index, head, text, freedom, argument },
    isWhole: isArgument && rest.length === 0,
    mayBeOption: isArgument && first.allowDash === true,
  };
}
