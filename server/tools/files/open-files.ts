import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MAX_FILE_BYTES } from '../../../shared/manifest/schema/tool.ts';
import type { Tool } from '../../../shared/manifest/connector.ts';
import type { FileStore } from '../../results/files.ts';
import type { ResultStore } from '../../results/handles.ts';
import { typeOfName } from '../../results/media-type.ts';
import { safeFilename } from '../../results/safe-filename.ts';
import { mayReadFrom, type CallerLimits } from '../caller-limits.ts';
import type { FileArgument, FileArguments } from './file-argument.ts';
import { createFileRoom } from './file-room.ts';
import { openPath, requireSize, unusable, type FilePlaces, type Reading } from './open-path.ts';

export interface OpenFilesDeps extends FilePlaces {
  results: Pick<ResultStore, 'jsonOf' | 'originOf' | 'bytesOf'>;
  files: Pick<FileStore, 'find' | 'originOf'>;
  /** How much all calls together hold. */
  maxHeldBytes?: number;
}

interface Opening {
  limits: CallerLimits | undefined;
  /** False for a dry run, which only looks at them. */
  reads: boolean;
}

/** The files of a call, in memory until it has ended. */
export interface OpenedFiles {
  files: FileArguments;
  release: () => void;
}

/** Reads the files that a call names. */
export type OpenFiles = (tool: Tool, args: Readonly<Record<string, unknown>>, how: Opening) => Promise<OpenedFiles>;

type Limits = Opening & Reading;
type Content = Omit<FileArgument, 'name' | 'content'> & { bytes: Uint8Array | null };

const QUOTE = '"'.codePointAt(0);
const HANDLE = /^res_[0-9a-z]+$/;
const FILE_URI = /^forge:\/\/files\/([0-9a-f]+)$/;

/** The parameters of a tool that are files. */
export function fileNames({ parameters }: Pick<Tool, 'parameters'>): string[] {
  return Object.keys(parameters).filter((name) => parameters[name]?.type === 'file');
}

export function createOpenFiles(deps: OpenFilesDeps): OpenFiles {
  const room = createFileRoom(deps.maxHeldBytes);
  return async (tool, args, how) => {
    const files = new Map<string, FileArgument>();
    const { reserve, release } = room.enter();
    try {
      for (const name of fileNames(tool)) {
        const source = args[name];
        if (typeof source !== 'string') continue;
        const maxBytes = tool.parameters[name]?.max_bytes ?? MAX_FILE_BYTES;
        const { bytes, ...rest } = await openOne(deps, source, { ...how, maxBytes, reserve });
        const content = bytes === null ? null : { bytes, sha256: hash('sha256', bytes, 'hex') };
        files.set(name, { name, ...rest, content });
      }
    } catch (error) {
      release();
      throw error;
    }
    return { files, release };
  };
}

async function openOne(deps: OpenFilesDeps, source: string, limits: Limits): Promise<Content> {
  if (HANDLE.test(source)) return openResult(deps.results, source, limits);
  const id = FILE_URI.exec(source)?.[1];
  if (id !== undefined) return openKept(deps.files, source, id, limits);
  const { real, size, bytes, isAllowed } = await openPath(source, deps, limits);
  const filename = safeFilename(path.basename(real));
  return { source: real, filename, contentType: typeOfName(filename), size, bytes, asks: !isAllowed, from: null };
}

/** A text as it is, everything else as JSON. Whose result it is decides who may send it on. */
function openResult(results: OpenFilesDeps['results'], handle: string, { limits, maxBytes, reserve }: Limits): Content {
  const from = results.originOf(handle);
  if (!mayReadFrom(from, limits)) throw unusable(handle, 'is not kept');
  const size = results.bytesOf(handle);
  requireSize(handle, size, maxBytes);
  reserve(size);
  const json = results.jsonOf(handle);
  const isText = json[0] === QUOTE;
  // Reading a large result as JSON, and writing it again, would hold up everybody.
  const bytes = isText ? Buffer.from(String(JSON.parse(json.toString('utf8')))) : json;
  const [filename, contentType] = isText ? [`${handle}.txt`, 'text/plain'] : [`${handle}.json`, 'application/json'];
  return { source: handle, filename, contentType, size: bytes.length, bytes, asks: false, from };
}

async function openKept(
  files: OpenFilesDeps['files'],
  source: string,
  id: string,
  { limits, reads, maxBytes, reserve }: Limits,
): Promise<Content> {
  const from = files.originOf(id);
  const entry = mayReadFrom(from, limits) ? files.find(id) : null;
  if (entry === null) throw unusable(source, 'is not kept');
  const { filename, content_type: contentType, size_bytes: size } = entry;
  requireSize(source, size, maxBytes);
  if (reads) reserve(size);
  const bytes = reads ? await readFile(entry.path) : null;
  return { source, filename, contentType, size, bytes, asks: false, from };
}
