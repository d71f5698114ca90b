/** Prefixes of tools that make names when a page is built or drawn. */
const MAKERS = /^(css|sc|jss|jsx|svelte|emotion|makeStyles)-/;
const NUMBERED_BY_LIBRARY = /^(radix|headlessui|react-aria|downshift|mui|ember|yui|ui-id|gwt-uid|ext-gen)[-_:]?.*\d/;
/** A part in which a digit comes before a letter: `1x2y3z`, `x1n2onr6`, `3fWq`, `a9zo`. Words end with digits, if they have any. */
const SCRAMBLED = /(^|[-_:])(?=[a-zA-Z0-9]{4,}($|[-_:]))[a-zA-Z0-9]*\d[a-zA-Z]/;
/** Letters that no word has in that order: `hKfQzP`, `jJSoBv`, `xkqpz`. */
const SHUFFLED = /[a-z][A-Z][a-z][A-Z]|^[a-z]{1,2}[A-Z]{2,}[a-z]|(^|[-_])[bcdfghjklmnpqrstvwxz]{5,}($|[-_])/;

/**
 * Ids and classes made by a build or at run time: `css-1x2y3z`, `row_4711`, `Title__aB3xY`, `:r1:`, `_3fWq`, `sc-abc`. Another day they are
 * others.
 */
export function isGeneratedName(name: string): boolean {
  return GENERATED.some((pattern) => pattern.test(name));
}

const GENERATED: readonly RegExp[] = [
  MAKERS,
  NUMBERED_BY_LIBRARY,
  SCRAMBLED,
  SHUFFLED,
  /\d{2,}/,
  /__(?=.*[A-Z0-9])[\w-]{5}$/,
  /^(?=.*\d)(?=.*[A-Z])/,
  /^:|:[rR]\w*:|[«»]/,
];
