import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { writeFolderDurably } from '../store/durable-files.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import { readMediaType, typeOfName } from './media-type.ts';
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
}

/** Keeps the files that calls bring back, each in a folder of its own whose name cannot be guessed. */
export interface FileStore {
  save(file: NewFile): FileEntry;
  /** The file behind an id, or null; for whoever serves it. */
  find(id: string): FileEntry | null;
}

interface FileStoreOptions {
  newId?: () => string;
  ops?: FileOps;
}

/** What the folder of a saved file is called. */
export const FILE_ID = /^[0-9a-f]{24}$/;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const UNKNOWN_TYPE = 'application/octet-stream';

/** The store in the data dir's `files` folder. */
export function createFileStore(folder: string, options: FileStoreOptions = {}): FileStore {
  const { newId = () => randomBytes(12).toString('hex'), ops = nodeFileOps } = options;
  return {
    save({ filename, bytes, contentType }) {
      const id = newId();
      const name = safeFilename(filename);
      writeFolderDurably(path.join(folder, id), new Map([[name, bytes]]), { ops });
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
