import type { Tool as McpTool } from '@modelcontextprotocol/server';

/** The names of Forge's own tools; no connector's tool can have one, as theirs contain two underscores in a row. */
export const BUILTIN = {
  search: 'forge_search_tools',
  describe: 'forge_describe_tool',
  call: 'forge_call_tool',
  readResult: 'forge_read_result',
  inspect: 'forge_inspect_page',
} as const;

const READS = { readOnlyHint: true, openWorldHint: false };

const SEARCH: McpTool = {
  name: BUILTIN.search,
  title: 'Search tools',
  description:
    'Find tools of the connected services by what they do. Each is shown with its arguments; those marked * are required. Without a query, the connectors are listed.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'A few words, e.g. "create issue".' },
      connector: { type: 'string', description: 'Only tools of this connector.' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 15 },
    },
    additionalProperties: false,
  },
  annotations: READS,
};

const DESCRIBE: McpTool = {
  name: BUILTIN.describe,
  title: 'Describe tools',
  description: 'The whole description and the JSON Schema of the arguments of up to ten tools.',
  inputSchema: {
    type: 'object',
    properties: {
      tools: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10, description: 'Names of tools.' },
    },
    required: ['tools'],
    additionalProperties: false,
  },
  annotations: READS,
};

const CALL: McpTool = {
  name: BUILTIN.call,
  title: 'Call a tool',
  description:
    'Call a tool that forge_search_tools has found. If it changes something, a person is asked first; you cannot approve it yourself.',
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'The name of the tool.' },
      arguments: { type: 'object', description: 'Its arguments.' },
    },
    required: ['tool'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

const READ_RESULT: McpTool = {
  name: BUILTIN.readResult,
  title: 'Read a large result',
  description:
    'Read a result that was too large to be returned whole, by the handle that came in its place: a page of it, what is at a path, or what matches a search.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'As it was returned: res_ and 24 digits and letters.' },
      path: { type: 'string', description: 'A part of it: a.b, a.b[0] or a[].b' },
      search: { type: 'string', description: 'Only items, fields or lines that contain this text.' },
      offset: { type: 'integer', minimum: 0, description: 'Where the page begins; next_offset of the page before.' },
      limit: { type: 'integer', minimum: 1, description: 'Items, or characters of a text.' },
    },
    required: ['handle'],
    additionalProperties: false,
  },
  annotations: READS,
};

const INSPECT: McpTool = {
  name: BUILTIN.inspect,
  title: 'Look at a web page',
  description:
    'For writing a browser tool: open a page in the person’s browser, on a site they have allowed, and return its outline with selectors that last; or what a selector finds there.',
  inputSchema: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'The whole address of the page.' },
      selector: { type: 'string', description: 'A CSS selector to try, in place of the outline.' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 200, description: 'Lines of the outline.' },
    },
    required: ['url'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: true },
};

/** What people read in place of the names. */
export const BUILTIN_TITLES: ReadonlyMap<string, string> = new Map(
  [SEARCH, DESCRIBE, CALL, READ_RESULT, INSPECT].map(({ name, title = name }) => [name, title]),
);
/** As JSON texts: those that find and call tools which are not in the list, and the one that every client gets. */
export const CATALOGUE_TOOLS: readonly string[] = [SEARCH, DESCRIBE, CALL].map((tool) => JSON.stringify(tool));
export const RESULT_TOOL: string = JSON.stringify(READ_RESULT);
/** Where a browser is paired, for a client without limits. */
export const INSPECT_TOOL: string = JSON.stringify(INSPECT);
/** For a client that may only read, calling is reading. */
export const READING_CATALOGUE_TOOLS: readonly string[] = [
  SEARCH,
  DESCRIBE,
  { ...CALL, annotations: { readOnlyHint: true, openWorldHint: true } },
].map((tool) => JSON.stringify(tool));
