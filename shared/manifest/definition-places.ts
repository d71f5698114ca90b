/** Where something stands in a definition: names of keys, and numbers in lists. */
export type Path = readonly (string | number)[];

/** Whose key a path names: the package's, one connector's, or one tool's; `rest` is the path inside it. */
export interface Place {
  scope: 'package' | 'connector' | 'tool';
  rest: Path;
}

/**
 * Keys that are left out of a definition, each because nothing that is sent, run or read by a model depends on it. Everything else that
 * a manifest keeps is part of the definition, whether anybody thought of it or not.
 */
export const NO_EFFECT: Readonly<Record<string, string>> = {
  'package.icon': 'a picture',
  'package.version': 'shown beside every difference',
  'package.author': 'a name on the page',
  'package.category': 'a heading in the marketplace',
  'package.min_forge_version': 'checked when it is installed',
  'connector.icon': 'a picture',
  'tool.script_file': 'where the script was; its text is what runs',
};

/** Texts for models and people. They change what is read, and nothing that is sent or run. */
const TEXTS: ReadonlySet<string> = new Set([
  'package.name',
  'package.description',
  'package.settings.*.label',
  'package.settings.*.description',
  'package.settings.*.help',
  'package.settings.*.placeholder',
  'connector.name',
  'connector.description',
  'connector.catalog_summary',
  'connector.test.description',
  'tool.description',
  'tool.returns',
  'tool.parameters.*.description',
  'tool.parameters.*.label',
  'tool.parameters.*.help',
]);

/** Objects whose keys are read by their names, so that their order means nothing. In every other one the order may matter. */
const READ_BY_NAME: ReadonlySet<string> = new Set([
  'package',
  'package.settings.*',
  'connector',
  'connector.auth',
  'connector.test',
  'connector.test.auth',
  'connector.test.ok_match',
  'connector.test.request',
  'connector.tools',
  'tool',
  'tool.async',
  'tool.async.done_match',
  'tool.async.on_done',
  'tool.async.on_fail',
  'tool.async.progress',
  'tool.auth',
  'tool.expect',
  'tool.ok_match',
  'tool.page',
  'tool.parameters.*',
  'tool.request',
  'tool.ssh',
  'tool.ssh.auto_answer.*',
]);

// A manifest has tens of thousands of places, and most are none of these: what comes first, and how deep they are, tells.
const TEXT_STARTS: ReadonlySet<string> = new Set([...TEXTS].map((text) => text.split('.', 2).join('.')));
const MAX_READ_BY_NAME = Math.max(...[...READ_BY_NAME].map((text) => text.split('.').length - 1));

/** Finds whose key a path from the package's root names. */
export function placeOf(path: Path): Place {
  const [connectors, index, tools, tool, ...rest] = path;
  if (connectors !== 'connectors' || index === undefined) return { scope: 'package', rest: path };
  if (tools === 'tools' && tool !== undefined) return { scope: 'tool', rest };
  return { scope: 'connector', rest: path.slice(2) };
}

export function hasNoEffect(place: Place): boolean {
  // All of them are keys of a package, a connector or a tool itself.
  return place.rest.length === 1 && Object.hasOwn(NO_EFFECT, patternOf(place));
}

/** True for a text, and for everything inside one: what a tool returns may be described by an object. */
export function isText({ scope, rest }: Place): boolean {
  if (!TEXT_STARTS.has(`${scope}.${String(rest[0])}`)) return false;
  return rest.some((_, index) => TEXTS.has(patternOf({ scope, rest: rest.slice(0, index + 1) })));
}

export function isReadByName(place: Place): boolean {
  // Columns of rows nest; everything else is close to the top.
  if (place.rest.length > MAX_READ_BY_NAME && place.rest[0] !== 'settings') return false;
  return READ_BY_NAME.has(patternOf(place));
}

/** The key of the tables: free names, such as those of settings and parameters, become `*`. */
export function patternOf({ scope, rest }: Place): string {
  const words: string[] = [scope];
  const open = [...rest];
  // A column of rows is a setting like any other, and may itself be rows.
  if (scope === 'package') while (open.length > 3 && open[0] === 'settings' && open[2] === 'fields') open.splice(1, 2);
  for (const [index, step] of open.entries()) {
    const isName = typeof step === 'number' || (index === 1 && (open[0] === 'settings' || open[0] === 'parameters'));
    // A key with a dot in it must not read as a path.
    words.push(isName ? '*' : step.includes('.') ? JSON.stringify(step) : step);
  }
  return words.join('.');
}
