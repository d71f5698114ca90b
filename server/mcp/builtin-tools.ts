import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { closestWord } from '../../shared/manifest/did-you-mean.ts';
import type { ResultStore } from '../results/handles.ts';
import type { ResultWindow } from '../results/read-window.ts';
import { BUILTIN } from './builtin-definitions.ts';
import { errorContent, textContent } from './call-content.ts';
import type { CallConnectorTool } from './call-tool.ts';
import { catalogueLines } from './instructions.ts';
import type { Peer } from './peer.ts';
import { searchTools, toolLine } from './search-tools.ts';
import type { ToolText } from './tool-text.ts';
import type { ToolViews } from './tool-views.ts';

interface BuiltinDeps {
  views: ToolViews;
  results: Pick<ResultStore, 'read'>;
  callConnectorTool: CallConnectorTool;
}

type Args = Readonly<Record<string, unknown>>;
type Builtin = (args: Args, peer: Peer) => string | Promise<string>;

const DEFAULT_FOUND = 15;
const MAX_FOUND = 50;
const MAX_DESCRIBED = 10;
const LISTED_CHARS = 12_000;

/** Forge's own tools by name. What is wrong with their arguments is an answer, as it is with every other tool. */
export function createBuiltinTools(deps: BuiltinDeps): ReadonlyMap<string, Builtin> {
  const tools: [string, Builtin][] = [
    [BUILTIN.search, (args, peer) => search(deps.views.look(peer.scope).tools, args)],
    [BUILTIN.describe, (args, peer) => describe(deps.views.look(peer.scope).tools, args)],
    [
      BUILTIN.call,
      (args, peer) =>
        deps.callConnectorTool(requiredText(args, 'tool'), objectOf(args, 'arguments'), peer, { isListed: false }),
    ],
    [BUILTIN.readResult, (args) => textContent(JSON.stringify(deps.results.read(...windowOf(args))))],
  ];
  return new Map(tools.map(([name, run]) => [name, answering(run)]));
}

function answering(run: Builtin): Builtin {
  return async (args, peer) => {
    try {
      return await run(args, peer);
    } catch (error) {
      if (!isForgeError(error) || error.status >= 500) throw error;
      return errorContent(error);
    }
  };
}

function search(tools: readonly ToolText[], args: Args): string {
  const query = optionalText(args, 'query') ?? '';
  const connector = optionalText(args, 'connector');
  const limit = Math.min(wholeNumber(args, 'limit') ?? DEFAULT_FOUND, MAX_FOUND);
  const among =
    connector === undefined
      ? tools
      : tools.filter((text) => text.connector.id === connector || text.package.id === connector);
  if (connector === undefined && query.trim() === '')
    return textContent(
      [`${tools.length} tools of these connectors:`, ...catalogueLines(tools, LISTED_CHARS)].join('\n'),
    );
  const found = searchTools(among, query);
  if (found.length === 0) return textContent(nothingFound(tools, connector));
  const shown = found.slice(0, limit);
  const more = found.length > shown.length ? ` The best ${shown.length}:` : '';
  const head = `${found.length} of ${tools.length} tools match.${more}`;
  return textContent([head, ...shown.map(toolLine)].join('\n'));
}

function nothingFound(tools: readonly ToolText[], connector: string | undefined): string {
  const ids = [...new Set(tools.map((text) => text.connector.id))];
  if (connector === undefined || ids.includes(connector))
    return `No tool matches. Try fewer or other words, or ${BUILTIN.search} without a query for the connectors.`;
  const near = closestWord(connector, ids);
  return `There is no connector ${JSON.stringify(connector.slice(0, 80))}${near === null ? '' : `; did you mean ${near}?`}`;
}

function describe(tools: readonly ToolText[], args: Args): string {
  const wanted = args['tools'];
  if (!Array.isArray(wanted) || wanted.length === 0 || wanted.length > MAX_DESCRIBED)
    throw new ForgeError('invalid_argument', `tools must be a list of one to ${MAX_DESCRIBED} names`);
  const names = wanted.map(String);
  const described = names.map((name) => {
    const found = tools.find((text) => text.name === name || text.id === name);
    return found?.json ?? JSON.stringify({ name: name.slice(0, 140), error: unknownTool(tools, name) });
  });
  return textContent(described.join('\n'));
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
