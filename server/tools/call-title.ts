import type { Connector, Tool } from '../../shared/manifest/connector.ts';

interface Described {
  /** The first sentence of what the manifest says about the tool, without its full stop. */
  first: string;
  rest: string;
}

const MAX_CHARS = 200;
const THIS_COMPUTER = 'this computer';

const known = new WeakMap<Tool, Described>();

/** What a call does and where, verb first, as a person is asked about it: “Add a comment to an issue on jira.acme.com”. */
export function callTitle(connector: Pick<Connector, 'name'>, tool: Tool, site: string | null): string {
  const { first } = describedBy(tool);
  return `${first === '' ? `${connector.name}: ${tool.name}` : first} on ${site ?? THIS_COMPUTER}`;
}

/** What the manifest says about the tool beyond its first sentence. */
export function moreAbout(tool: Tool): string {
  return describedBy(tool).rest;
}

function describedBy(tool: Tool): Described {
  let found = known.get(tool);
  if (found === undefined) {
    found = describe(tool.description.replace(/\s+/g, ' ').trim());
    known.set(tool, found);
  }
  return found;
}

/** A sentence ends where the next one begins with a capital letter, so that “e.g.” and “v2.1” end none. */
function describe(text: string): Described {
  const [first = ''] = /^.*?[.!?](?= \p{Lu}|$)/u.exec(text) ?? [text];
  if (first.length > MAX_CHARS) return { first: `${first.slice(0, MAX_CHARS)}…`, rest: text };
  return { first: first.replace(/[.!?]+$/, ''), rest: text.slice(first.length).trim() };
}
