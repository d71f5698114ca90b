import { isRecord, type JsonValue } from '../../shared/json.ts';

/** A secret as it stands in the database: sealed, with the time it was saved for the form to show. */
export interface SealedLeaf {
  $sealed: string;
  saved_at: string;
}

/** One row of an `instances` setting. The id stays when rows are renamed or reordered, so that kept secrets find their row. */
export interface StoredRow {
  $id: string;
  [field: string]: StoredValue;
}

export type StoredValue = JsonValue | SealedLeaf | StoredRow[];

/** A connector's saved settings, field by field. Fields the manifest no longer declares stay until a person removes them. */
export type SettingsDocument = Record<string, StoredValue>;

export function isSealed(value: unknown): value is SealedLeaf {
  return isRecord(value) && typeof value['$sealed'] === 'string';
}

/** Rows as stored, or as older data may hold them: a list, or the JSON text of one. */
export function rowsOf(value: unknown): StoredRow[] {
  const list: unknown = typeof value === 'string' ? parseList(value) : value;
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).map((row, index) => ({
    // Rows come from our own documents; text that was saved as JSON has no ids yet.
    ...(row as Record<string, StoredValue>),
    $id: typeof row['$id'] === 'string' ? row['$id'] : `row-${index}`,
  }));
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
