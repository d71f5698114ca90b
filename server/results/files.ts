import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { writeFolderDurably } from '../store/durable-files.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import { readMediaType, typeOfName } from './media-type.ts';
import { originIds, type Origin } from './origin.ts';
import { safeFilename } from './safe-filename.ts';

/** A file a call brought back, as the caller sees it. */
export interface FileEntry {
  filename: string;
  path: string;
  file_url: string;
  size_bytes: number;
  content_type: string;
}

/** A file to be kept. */
export interface NewFile {
  filename: string;
  bytes: Uint8Array;
  contentType: string;
  /** The tool that brought it. */
  origin?: Origin;
}

/** Keeps the files that calls bring back, each in a folder of its own whose name cannot be guessed. */
export interface FileStore {
  save(file: NewFile): FileEntry;
  /** Says where a file came from that another thread has saved. */
  adopt(id: string, origin: Origin): void;
  /** The file behind an id, or null; for whoever serves it. */
  find(id: string): FileEntry | null;
  /** The connectors it came from; none when nobody said, or when it was saved before Forge was started. */
  originOf(id: string): readonly string[];
}

interface FileStoreOptions {
  newId?: () => string;
  ops?: FileOps;
}

/** What the folder of a saved file is called. */
export const FILE_ID = /^[0-9a-f]{24}$/;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
/** Files whose origin is known; those of older ones are forgotten, and then only unlimited callers read them. */
const MAX_ORIGINS = 10_000;
const UNKNOWN_TYPE = 'application/octet-stream';

/** The store in the data dir's `files` folder. */
export function createFileStore(folder: string, options: FileStoreOptions = {}): FileStore {
  const { newId = () => randomBytes(12).toString('hex'), ops = nodeFileOps } = options;
  const origins = new Map<string, readonly string[]>();
  const adopt = (id: string, origin: Origin | undefined): void => {
    const [oldest] = origins.keys();
    if (oldest !== undefined && origins.size >= MAX_ORIGINS) origins.delete(oldest);
    origins.set(id, originIds(origin));
  };
  return {
    adopt,
    save({ filename, bytes, contentType, origin }) {
      const id = newId();
      const name = safeFilename(filename);
      writeFolderDurably(path.join(folder, id), new Map([[name, bytes]]), { ops });
      adopt(id, origin);
      return entryOf(folder, id, name, bytes.length, safeType(contentType));
    },
    find(id) {
      if (!FILE_ID.test(id)) return null;
      try {
        const [name] = readdirSync(path.join(folder, id));
        if (name === undefined) return null;
        return entryOf(folder, id, name, statSync(path.join(folder, id, name)).size, typeOfName(name));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
    originOf: (id) => origins.get(id) ?? [],
  };
}

function entryOf(folder: string, id: string, filename: string, sizeBytes: number, contentType: string): FileEntry {
  return {
    filename,
    path: path.join(folder, id, filename),
    file_url: `/api/files/${id}`,
    size_bytes: sizeBytes,
    content_type: contentType,
  };
}

/** A type from outside ends up in a header one day, so only a plain one is kept. */
function safeType(contentType: string): string {
  const { essence } = readMediaType(contentType);
  return MEDIA_TYPE.test(essence) ? essence : UNKNOWN_TYPE;
}
