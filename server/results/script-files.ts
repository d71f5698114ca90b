import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import type { NewFile } from './files.ts';
import { safeFilename } from './safe-filename.ts';

const MAX_FILES = 100;
const MAX_TOTAL_BYTES = 100 * 1024 * 1024;
// What FileReader.readAsDataURL puts before the content.
const DATA_URL = /^data:[^,]{0,200};base64,/;

/** Reads what a script returned as `_files`; all of it is checked before any of it is saved. */
export function readScriptFiles(value: unknown): NewFile[] {
  if (!Array.isArray(value)) throw invalid('_files is not a list');
  if (value.length > MAX_FILES) throw invalid(`_files holds ${value.length} files, and at most ${MAX_FILES} are taken`);
  const files = value.map(readFile);
  const total = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (total > MAX_TOTAL_BYTES) throw invalid('the files in _files are larger than 100 MiB together');
  return files;
}

function readFile(entry: unknown, index: number): NewFile {
  const place = `_files[${index}]`;
  if (!isRecord(entry)) throw invalid(`${place} is not an object`);
  const { filename, content_base64: content, content_type: contentType } = entry;
  if (typeof filename !== 'string' || filename === '') throw invalid(`${place}.filename is not a name`);
  if (typeof content !== 'string') throw invalid(`${place}.content_base64 is not a text`);
  if (contentType !== undefined && contentType !== null && typeof contentType !== 'string') {
    throw invalid(`${place}.content_type is not a text`);
  }
  const bytes = decodeBase64(content);
  if (bytes === null) throw invalid(`${place}.content_base64 is not base64`);
  return { filename: safeFilename(filename), bytes, contentType: contentType ?? 'application/octet-stream' };
}

/** Node skips what is not base64; comparing lengths finds out whether it skipped anything. */
function decodeBase64(text: string): Buffer | null {
  const compact = text
    .replace(DATA_URL, '')
    .replaceAll(/\s+/g, '')
    .replace(/={1,2}$/, '');
  const bytes = Buffer.from(compact, 'base64');
  return compact.length % 4 !== 1 && bytes.length === Math.floor((compact.length * 3) / 4) ? bytes : null;
}

function invalid(what: string): ForgeError {
  return new ForgeError('tool_error', `the tool returned files that cannot be saved: ${what}`, {
    hint: 'A file is {filename, content_base64, content_type}.',
  });
}
