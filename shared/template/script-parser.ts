import { Parser, type Node, type Options, type Program } from 'acorn';

/**
 * Some two hundred nested brackets: more than people write, and half of what fills the stack. Running out of stack would be
 * worse than an error here: V8 ends the whole process when it has to compile a regular expression at that point.
 */
const MAX_LEVELS = 600;

/** The methods that every way of nesting code goes through. */
const RECURSIVE = [
  'parseStatement',
  'parseMaybeAssign',
  'parseExprOp',
  'parseMaybeUnary',
  'parseExprAtom',
  'parseBindingAtom',
] as const;

type Method = (this: LeveledParser, ...parameters: unknown[]) => Node;
type LeveledParser = Parser &
  Record<(typeof RECURSIVE)[number], Method> & {
    level?: number;
    start: number;
    raise(at: number, message: string): never;
  };

/** Wraps each recursive method so that it counts how deep the parser is. */
function countLevels(Base: typeof Parser): typeof Parser {
  class Leveled extends Base {}
  // acorn's types leave out the methods that its plugins are meant to replace.
  const prototype = Leveled.prototype as unknown as Record<string, Method>;
  for (const name of RECURSIVE) {
    const original = (Base.prototype as unknown as Record<string, Method>)[name];
    if (original === undefined) throw new TypeError(`acorn has no method ${name}`);
    prototype[name] = function (...parameters) {
      this.level = (this.level ?? 0) + 1;
      if (this.level > MAX_LEVELS) this.raise(this.start, 'The code is nested too deeply');
      try {
        return original.apply(this, parameters);
      } finally {
        this.level -= 1;
      }
    };
  }
  return Leveled;
}

const ScriptParser = Parser.extend(countLevels);

/** Parses a program; throws acorn's SyntaxError, also for code that is nested too deeply. */
export function parseProgram(text: string, options: Options): Program {
  return ScriptParser.parse(text, options);
}
