/** A title and what follows it: a function, with options in between or not. */
const TITLE = /(['"`])((?:\\.|(?!\1)[^\\\n])+)\1,\s*(?:\{[^{}]*\},\s*)?(?:async\b|\([\w\s,:{}[\]]*\)(?::[^=]+)?\s*=>)/g;
const SKIPPED = /\b(?:it|test|describe)\.(?:skip|todo)\(\s*$/;

/** The titles of a test file, as they are written in it; what is commented out or always skipped is left out. */
export function titlesIn(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return [...code.matchAll(TITLE)].flatMap(({ 2: title = '', index }) =>
    SKIPPED.test(code.slice(Math.max(0, index - 60), index)) ? [] : [title],
  );
}
