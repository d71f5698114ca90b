import { BUILTIN } from './builtin-definitions.ts';
import type { ToolText } from './tool-text.ts';

/** What a model reads before anything else; with the list of tools it stays below 4,000 tokens. */
const CATALOGUE_CHARS = 8000;
const MAX_SUMMARY = 120;
const MIN_SUMMARY = 20;

const ABOUT =
  'Forge gives you tools of the services this person uses. Calls that change something may have to be approved by the person first: then say so and wait, you cannot approve them yourself. ' +
  `A large result comes as its beginning with a handle; read on with ${BUILTIN.readResult}.`;

/** How to work with what this client sees: `rest` are the tools that are not in its list. */
export function instructionsFor(rest: readonly ToolText[]): string {
  if (rest.length === 0) return ABOUT;
  const lines = catalogueLines(rest, CATALOGUE_CHARS);
  const how = `${rest.length} tools are not listed one by one. Find them with ${BUILTIN.search}, see their arguments with ${BUILTIN.describe}, call them with ${BUILTIN.call}. They belong to these connectors (with the number of tools):`;
  return [ABOUT, '', how, ...lines].join('\n');
}

interface Listed {
  id: string;
  summary: string;
  count: number;
}

/** One line for each connector. The more there are, the less is said about each, and the last ones are only counted. */
export function catalogueLines(tools: readonly ToolText[], maxChars: number): string[] {
  const listed = connectorsOf(tools);
  const bare = listed.reduce((sum, { id }) => sum + id.length + 10, 0);
  const room = listed.length === 0 ? 0 : Math.floor((maxChars - bare) / listed.length);
  const lines: string[] = [];
  let left = maxChars - 40;
  for (const { id, summary, count } of listed) {
    const about = room < MIN_SUMMARY ? '' : `: ${cut(summary, Math.min(room, MAX_SUMMARY))}`;
    const line = `- ${id} (${count})${about}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const missing = listed.length - lines.length;
  return missing === 0 ? lines : [...lines, `… and ${missing} more; ${BUILTIN.search} finds them`];
}

function connectorsOf(tools: readonly ToolText[]): Listed[] {
  const byId = new Map<string, Listed>();
  for (const { connector, package: pack } of tools) {
    const known = byId.get(connector.id);
    if (known !== undefined) known.count += 1;
    else {
      const summary = connector.catalog_summary || connector.description || pack.description || connector.name;
      byId.set(connector.id, { id: connector.id, summary, count: 1 });
    }
  }
  return [...byId.values()];
}

/** The beginning of a text on one line. */
export function cut(text: string, maxChars: number): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= maxChars
    ? line
    : `${line
        .slice(0, Math.max(0, maxChars - 1))
        .toWellFormed()
        .trimEnd()}…`;
}
