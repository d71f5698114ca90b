import { countProblems, checkDraft, type Problems } from './check-draft.ts';
import type { Fields, RowDraft } from './draft.ts';

export interface RowSummary {
  title: string;
  detail: string;
  state: 'ready' | 'needs' | 'broken';
  words: string;
}

const ADDRESS_FIELDS = ['base_url', 'url', 'host'];

/** What a closed row says about itself: its name, where it leads, and whether anything is missing. */
export function rowSummary(fields: Fields, row: RowDraft, problems: Problems, path: string): RowSummary {
  const wrong = countProblems(problems, path);
  const missing = checkDraft(fields, row.fields).size;
  const first = Object.keys(fields)[0] ?? '';
  const title = textIn(row, 'name') || textIn(row, first);
  const address = ADDRESS_FIELDS.find((name) => textIn(row, name) !== '');
  return {
    title: title === '' ? 'New row' : title,
    detail: address === undefined ? '' : textIn(row, address),
    ...(wrong > 0
      ? { state: 'broken', words: wrong === 1 ? '1 problem' : `${wrong} problems` }
      : missing > 0
        ? { state: 'needs', words: 'Needs settings' }
        : { state: 'ready', words: row.id === null ? 'Not saved yet' : 'Filled in' }),
  };
}

/** Secrets have no text to show, so they never appear here. */
function textIn(row: RowDraft, name: string): string {
  const draft = row.fields[name];
  return draft?.kind === 'text' ? draft.text : '';
}
