import type { Connector, Tool } from './connector.ts';

/** Whether a person has accepted what a manifest claims about a tool. */
export type ClaimCheck = (tool: Tool) => boolean;

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Methods that change something by definition; no claim makes them reads. */
const WRITING_METHODS: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

const ACCEPTED: ClaimCheck = () => true;

/**
 * True only where it is certain that a call changes nothing: a GET or HEAD, or a tool whose manifest says `read_only`, which people see
 * when they install it. A tool is only as harmless as the tools that its watch polls and runs at the end.
 */
export function isCertainToRead(tool: Tool, connector: Connector, isAccepted: ClaimCheck = ACCEPTED): boolean {
  const checked = new Set<Tool>();
  const check = (one: Tool): boolean => {
    if (checked.has(one)) return true;
    checked.add(one);
    return readsItself(one, isAccepted) && chainedTools(one).every((name) => checkNamed(name));
  };
  const checkNamed = (name: string): boolean => {
    const chained = Object.hasOwn(connector.tools, name) ? connector.tools[name] : undefined;
    return chained !== undefined && check(chained);
  };
  return check(tool);
}

/** Whether a tool only reads because its manifest says so, and for no other reason. */
export function claimsToRead(tool: Tool): boolean {
  return tool.read_only === true && !tool.destructive && !isReadingRequest(tool) && mayClaim(tool);
}

/** Whether `read_only` can be true of this tool at all. */
export function mayClaim(tool: Pick<Tool, 'protocol'> & { request?: { method?: string } }): boolean {
  return tool.protocol !== 'http' || !WRITING_METHODS.has(tool.request?.method ?? 'GET');
}

/** The tools of the same connector that a tool's watch calls. */
export function chainedTools({ async }: Pick<Tool, 'async'>): string[] {
  if (async === undefined) return [];
  return [async.poll, async.on_done?.tool, async.on_fail?.tool].filter((name) => name !== undefined);
}

function readsItself(tool: Tool, isAccepted: ClaimCheck): boolean {
  if (tool.destructive || tool.read_only === false) return false;
  return isReadingRequest(tool) || (claimsToRead(tool) && isAccepted(tool));
}

function isReadingRequest(tool: Tool): boolean {
  return tool.protocol === 'http' && READING_METHODS.has(tool.request.method ?? 'GET');
}
