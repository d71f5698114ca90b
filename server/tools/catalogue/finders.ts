import { ForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { closestWord } from '../../../shared/manifest/did-you-mean.ts';
import type { ResultStore } from '../../results/handles.ts';
import type { ResultWindow } from '../../results/read-window.ts';
import { BUILTIN } from './builtin-definitions.ts';
import { catalogueLines } from './instructions.ts';
import { searchTools, toolLine } from './search-tools.ts';
import type { ToolText } from './tool-text.ts';

type Args = Readonly<Record<string, unknown>>;

const DEFAULT_FOUND = 15;
const MAX_FOUND = 50;
const MAX_DESCRIBED = 10;
const LISTED_CHARS = 12_000;

/** forge_search_tools: what is found, a line each. */
export function findTools(tools: readonly ToolText[], args: Args): string {
  const query = optionalText(args, 'query') ?? '';
  const connector = optionalText(args, 'connector');
  const limit = Math.min(wholeNumber(args, 'limit') ?? DEFAULT_FOUND, MAX_FOUND);
  const among =
    connector === undefined
      ? tools
      : tools.filter((text) => text.connector.id === connector || text.package.id === connector);
  if (connector === undefined && query.trim() === '')
    return [`${tools.length} tools of these connectors:`, ...catalogueLines(tools, LISTED_CHARS)].join('\n');
  const found = searchTools(among, query);
  if (found.length === 0) return nothingFound(tools, connector);
  const shown = found.slice(0, limit);
  const more = found.length > shown.length ? ` The best ${shown.length}:` : '';
  const head = `${found.length} of ${tools.length} tools match.${more}`;
  return [head, ...shown.map(toolLine)].join('\n');
}

/** forge_describe_tool: the whole entry of each tool that is asked for. */
export function describeTools(tools: readonly ToolText[], args: Args): string {
  const wanted = args['tools'];
  if (!Array.isArray(wanted) || wanted.length === 0 || wanted.length > MAX_DESCRIBED)
    throw new ForgeError('invalid_argument', `tools must be a list of one to ${MAX_DESCRIBED} names`);
  const described = wanted.map(String).map((name) => {
    const found = tools.find((text) => text.name === name || text.id === name);
    return found?.json ?? JSON.stringify({ name: name.slice(0, 140), error: unknownTool(tools, name) });
  });
  return described.join('\n');
}

/** forge_read_result: a part of a large result, as JSON text. */
export async function readResult(results: Pick<ResultStore, 'read'>, args: Args): Promise<string> {
  return JSON.stringify(await results.read(...windowOf(args)));
}

/** forge_call_tool: which tool, and with what. */
export function readCall(args: Args): { tool: string; args: Record<string, unknown> } {
  return { tool: requiredText(args, 'tool'), args: objectOf(args, 'arguments') };
}

function nothingFound(tools: readonly ToolText[], connector: string | undefined): string {
  const ids = [...new Set(tools.map((text) => text.connector.id))];
  if (connector === undefined || ids.includes(connector))
    return `No tool matches. Try fewer or other words, or ${BUILTIN.search} without a query for the connectors.`;
  const near = closestWord(connector, ids);
  return `There is no connector ${JSON.stringify(connector.slice(0, 80))}${near === null ? '' : `; did you mean ${near}?`}`;
}

function unknownTool(tools: readonly ToolText[], name: string): string {
  const near = closestWord(
    name,
    tools.map((text) => text.name),
  );
  return `there is no such tool${near === null ? '' : `; did you mean ${near}?`}`;
}

function windowOf(args: Args): [string, ResultWindow] {
  const [path, search] = [optionalText(args, 'path'), optionalText(args, 'search')];
  const [offset, limit] = [wholeNumber(args, 'offset'), wholeNumber(args, 'limit')];
  return [
    requiredText(args, 'handle'),
    {
      ...(path === undefined ? {} : { path }),
      ...(search === undefined ? {} : { search }),
      ...(offset === undefined ? {} : { offset }),
      ...(limit === undefined ? {} : { limit }),
    },
  ];
}

function optionalText(args: Args, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ForgeError('invalid_argument', `${name} must be a text`);
  return value;
}

function requiredText(args: Args, name: string): string {
  const value = optionalText(args, name);
  if (value === undefined || value === '') throw new ForgeError('invalid_argument', `${name} is required`);
  return value;
}

/** Models sometimes write a number as text. */
function wholeNumber(args: Args, name: string): number | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
    throw new ForgeError('invalid_argument', `${name} must be a whole number`);
  return number;
}

/** Models sometimes hand over an object as its JSON text. */
function objectOf(args: Args, name: string): Record<string, unknown> {
  const value = args[name] ?? {};
  if (isRecord(value)) return value;
  if (typeof value === 'string') {
    try {
      const parsed: unknown = JSON.parse(value);
      if (isRecord(parsed)) return parsed;
    } catch {
      // Told below, like everything else that is no object.
    }
  }
  throw new ForgeError('invalid_argument', `${name} must be an object`);
}
