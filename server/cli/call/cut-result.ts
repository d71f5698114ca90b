import { isRecord } from '../../../shared/json.ts';
import type { ForgeApi } from '../api.ts';

/** What stands in the place of a value that was too large to hand over: its beginning, and how it is built. */
export interface CutResult {
  head: string;
  shape: string;
  chars: number;
  /** Where an item of a list can be read, when it is one. */
  path?: string;
}

/** A page of a kept result. */
export type ResultPage =
  | { kind: 'items'; items: unknown[]; total: number; next_offset: number | null }
  | { kind: 'text'; text: string; total: number; next_offset: number | null }
  | { kind: 'matches'; matches: unknown[]; total: number; next_offset: number | null }
  | { kind: 'value'; value: unknown };

/** More than a page may have of anything, so that each is as large as it can be. */
const LARGEST_PAGE = '16000';

/** The parts of a value that was cut, or null when it is the value itself. */
export function cutResult(value: unknown): CutResult | null {
  if (!isRecord(value) || value['truncated'] !== true) return null;
  const { head, shape, total_chars: chars, path } = value;
  if (typeof head !== 'string' || typeof shape !== 'string' || typeof chars !== 'number') return null;
  return { head, shape, chars, ...(typeof path === 'string' ? { path } : {}) };
}

/** True for text, which is read on from where it was cut; lists and objects are read by their parts. */
export function isText({ shape }: Pick<CutResult, 'shape'>): boolean {
  return shape.startsWith('text:');
}

/** One page of a kept result. */
export async function resultPage(
  api: ForgeApi,
  handle: string,
  window: Parameters<ForgeApi['result']>[1],
): Promise<ResultPage> {
  // The server's pages have this shape; which of the four it is depends on the value.
  return (await api.result(handle, window)) as ResultPage;
}

/** Puts a kept result together again, page by page; items that were cut themselves are read by their paths. */
export async function readWhole(api: ForgeApi, handle: string, { shape, path }: CutResult): Promise<unknown> {
  const items: unknown[] = [];
  let text = '';
  for (let offset: number | null = 0; offset !== null;) {
    const window = { ...(path === undefined ? {} : { path }), offset: String(offset), limit: LARGEST_PAGE };
    const page = await resultPage(api, handle, window);
    if (page.kind === 'value') return page.value;
    if (page.kind === 'text') text += page.text;
    if (page.kind === 'items') for (const item of page.items) items.push(await wholeItem(api, handle, item));
    offset = page.next_offset;
  }
  if (isText({ shape })) return text;
  // An object comes as the text of its JSON.
  return text === '' ? items : JSON.parse(text);
}

async function wholeItem(api: ForgeApi, handle: string, item: unknown): Promise<unknown> {
  const cut = cutResult(item);
  return cut?.path === undefined ? item : await readWhole(api, handle, cut);
}
