import { isRecord, type JsonValue } from '../../../json.ts';
import { parseUrl } from '../../../parse-url.ts';

/** How a result can be looked at. */
export type ResultView = 'table' | 'json' | 'text';

export interface SavedFile {
  filename: string;
  url: string;
  sizeBytes: number;
  contentType: string;
}

/** A result of which only the beginning was handed over. */
export interface CutResult {
  head: string;
  shape: string;
  totalChars: number;
}

const FILE_URL = /^\/api\/files\/[0-9a-f]{24}$/;
const MAX_COLUMNS = 12;
const SAMPLED_ROWS = 200;

export function cutResult(value: JsonValue): CutResult | null {
  if (!isRecord(value) || value['truncated'] !== true || typeof value['head'] !== 'string') return null;
  const { head, shape, total_chars: chars } = value;
  return {
    head,
    shape: typeof shape === 'string' ? shape : '',
    totalChars: typeof chars === 'number' ? chars : head.length,
  };
}

/** The rows of a list of objects; null for anything else. */
export function tableRows(value: JsonValue): Record<string, JsonValue>[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const rows = value.filter((row): row is Record<string, JsonValue> => isRecord(row));
  return rows.length === value.length ? rows : null;
}

/** What a search found, as the rows it was found in; what is not a row stays as it is. */
export function matchRows(matches: readonly JsonValue[]): JsonValue[] {
  return matches.map((match) => {
    const item = typeof match === 'object' && match !== null && !Array.isArray(match) ? match['item'] : undefined;
    return item ?? match;
  });
}

/** The columns of a table, in the order in which they appear. */
export function tableColumns(rows: readonly Record<string, JsonValue>[]): { shown: string[]; more: number } {
  const names = new Set(rows.slice(0, SAMPLED_ROWS).flatMap((row) => Object.keys(row)));
  return { shown: [...names].slice(0, MAX_COLUMNS), more: Math.max(0, names.size - MAX_COLUMNS) };
}

/** A cell's text; structures are written out. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The views a result has, the most readable first. */
export function viewsOf(value: JsonValue): ResultView[] {
  if (typeof value === 'string') return ['text'];
  return tableRows(value) === null ? ['json', 'text'] : ['table', 'json', 'text'];
}

export function rawText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Files that a call has saved: the result itself, its items, or what it holds under `files`. Only Forge's own addresses count. */
export function filesIn(value: JsonValue): SavedFile[] {
  const lists = isRecord(value) ? [value, ...listAt(value['files']), ...listAt(value['_files'])] : listAt(value);
  return lists.flatMap((entry) => {
    const file = fileOf(entry);
    return file === null ? [] : [file];
  });
}

function listAt(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function fileOf(value: unknown): SavedFile | null {
  if (!isRecord(value)) return null;
  const { filename, file_url: url, size_bytes: size, content_type: type } = value;
  if (typeof filename !== 'string' || typeof url !== 'string' || !FILE_URL.test(url)) return null;
  return {
    filename,
    url,
    sizeBytes: typeof size === 'number' ? size : 0,
    contentType: typeof type === 'string' ? type : '',
  };
}

/** An address that may be a link: an absolute one of the web, and nothing else. */
export function linkIn(text: string): string | null {
  if (!/^https?:\/\/\S+$/i.test(text)) return null;
  return parseUrl(text) === null ? null : text;
}

/** `12 B`, `3.4 kB`, `1.2 MB`. */
export function shownBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
