import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType as ResourceTemplate,
} from '@modelcontextprotocol/server';
import { ForgeError } from '../../shared/errors.ts';
import type { Catalog, Installed } from '../connectors/catalog.ts';
import type { FileStore } from '../results/files.ts';
import type { ResultStore } from '../results/handles.ts';
import { AUTHORING_GUIDE } from './authoring-guide.ts';
import { fileUri } from './call-content.ts';
import { filesFor, mayRead, readWatch, resultsFor, type McpWatches } from './limited-reading.ts';
import { cut } from '../tools/catalogue/instructions.ts';
import { GUIDE_URI } from './prompts.ts';
import type { Scope } from '../tools/catalogue/tool-views.ts';

interface ResourceDeps {
  catalog: Pick<Catalog, 'list' | 'find'>;
  results: Pick<ResultStore, 'get' | 'read' | 'bytesOf' | 'originOf'>;
  files: FileStore;
  watches: Pick<McpWatches, 'read'>;
}

const MAX_RESULT_CHARS = 200_000;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const README = 'README.md';

const TEMPLATES: readonly ResourceTemplate[] = [
  {
    name: 'readme',
    title: 'About a connector',
    uriTemplate: 'forge://connectors/{id}/readme',
    description: 'What a connector is for and what it needs.',
    mimeType: 'text/markdown',
  },
  {
    name: 'result',
    title: 'A large result',
    uriTemplate: 'forge://results/{handle}',
    description: 'A result that was too large to be returned whole, by its handle. It is kept for an hour.',
    mimeType: 'application/json',
  },
  {
    name: 'file',
    title: 'A file',
    uriTemplate: 'forge://files/{id}',
    description: 'A file that a call has saved.',
  },
  {
    name: 'watch',
    title: 'A background watch',
    uriTemplate: 'forge://watches/{id}',
    description: 'How far something is that a call has started, and what came of it. It can be subscribed to.',
    mimeType: 'application/json',
  },
];

/** The answer to resources/templates/list. */
export const TEMPLATE_LIST: string = JSON.stringify({ resourceTemplates: TEMPLATES });

export type Resources = ReturnType<typeof createResources>;

/** What a client can read besides calling tools: READMEs of connectors, kept results, saved files. */
export function createResources({ catalog, results, files, watches }: ResourceDeps) {
  const offered = (limits: Scope['limits']): Installed[] =>
    catalog.list().filter((one) => one.installation?.enabled !== false && mayRead(one, limits));
  const readme = (id: string, { limits }: Scope): ReadResourceResult => {
    const installed = catalog.find(id);
    const text = installed === null || !mayRead(installed, limits) ? null : readText(installed);
    if (text === null) throw notFound(`connectors/${id}/readme`);
    return { contents: [{ uri: readmeUri(id), mimeType: 'text/markdown', text }] };
  };
  const result = async (handle: string, { limits }: Scope): Promise<ReadResourceResult> => {
    const own = resultsFor(results, limits);
    const isShort = own.bytesOf(handle) <= MAX_RESULT_CHARS;
    const text = JSON.stringify(isShort ? own.get(handle) : await own.read(handle));
    return { contents: [{ uri: `forge://results/${handle}`, mimeType: 'application/json', text }] };
  };
  const watch = (id: string, { limits }: Scope): ReadResourceResult => {
    const found = readWatch({ catalog, watches }, id, limits);
    if (found === null) throw notFound(`watches/${id}`);
    const text = JSON.stringify(found);
    return { contents: [{ uri: watchUri(id), mimeType: 'application/json', text }] };
  };
  const readers: readonly [RegExp, (id: string, scope: Scope) => ReadResourceResult | Promise<ReadResourceResult>][] = [
    [/^forge:\/\/connectors\/([a-z0-9][a-z0-9_-]{0,63})\/readme$/, readme],
    [/^forge:\/\/results\/(res_[0-9a-f]{24})$/, result],
    [/^forge:\/\/files\/([0-9a-f]{24})$/, (id, { limits }) => readFile(filesFor(files, limits), id)],
    [/^forge:\/\/watches\/(wch_[0-9a-f]{16})$/, watch],
  ];

  return {
    list: ({ limits }: Scope): Resource[] => [
      {
        uri: GUIDE_URI,
        name: 'authoring',
        title: 'Writing a connector',
        description: 'The format of connectors, with an example.',
        mimeType: 'text/markdown',
      },
      ...offered(limits)
        .filter(({ folder }) => existsSync(path.join(folder, README)))
        .map(({ id, package: pack }) => ({
          uri: readmeUri(id),
          name: `${id}/readme`,
          title: `About ${pack?.name ?? id}`,
          description: cut(pack?.description ?? '', 200),
          mimeType: 'text/markdown',
        })),
    ],
    read: (uri: string, scope: Scope): ReadResourceResult | Promise<ReadResourceResult> => {
      if (uri === GUIDE_URI) return { contents: [{ uri, mimeType: 'text/markdown', text: AUTHORING_GUIDE }] };
      for (const [pattern, read] of readers) {
        const id = pattern.exec(uri)?.[1];
        if (id !== undefined) return read(id, scope);
      }
      throw notFound(uri);
    },
    /** The ids that `forge://connectors/{id}/readme` can be filled in with. */
    connectorIds: ({ limits }: Scope): string[] => offered(limits).map(({ id }) => id),
  };
}

export function readmeUri(id: string): string {
  return `forge://connectors/${id}/readme`;
}

export function watchUri(id: string): string {
  return `forge://watches/${id}`;
}

function readText({ folder }: Installed): string | null {
  try {
    return readFileSync(path.join(folder, README), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function readFile(files: Pick<FileStore, 'find'>, id: string): ReadResourceResult {
  const file = files.find(id);
  if (file === null) throw notFound(`files/${id}`);
  const { content_type: mimeType, size_bytes: size } = file;
  if (size > MAX_FILE_BYTES) {
    throw new ForgeError('invalid_request', `the file has ${size} bytes, which is too large to be read this way`, {
      hint: `It is on this computer: ${file.path}`,
    });
  }
  const bytes = readFileSync(file.path);
  const uri = fileUri(id);
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json';
  return {
    contents: [
      isText ? { uri, mimeType, text: bytes.toString('utf8') } : { uri, mimeType, blob: bytes.toString('base64') },
    ],
  };
}

function notFound(what: string): ForgeError {
  return new ForgeError('not_found', `there is nothing at ${JSON.stringify(what.slice(0, 200))}`, {
    hint: 'resources/list and resources/templates/list show what can be read. Results and files are kept for a limited time.',
  });
}
