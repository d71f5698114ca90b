import { expect, it } from 'vitest';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { draftSettings } from './settings-draft.ts';

const FIELDS: Record<string, SettingField> = {
  base_url: { type: 'string' },
  instances: { type: 'instances', fields: { name: {}, url: {}, note: {} } },
  pairs: { type: 'instances', fields: { key: {}, value: {} } },
};
const SAVED = {
  base_url: 'https://old',
  instances: [
    { $id: 'r1', name: 'eu', url: 'u1', note: null },
    { $id: 'r2', name: 'eu.west', url: 'u2', note: 'n' },
  ],
  pairs: [{ $id: 'p1', key: 'k', value: 'v' }],
};

const changesAfter = (edit: (draft: ReturnType<typeof draftSettings>) => void) => {
  const draft = draftSettings(FIELDS, SAVED);
  edit(draft);
  return draft.changes();
};

it.each([
  ['a field', 'base_url', { base_url: 'x' }],
  ['a row by the longest name that fits', 'instances.eu.west.url', { instances: [{ $id: 'r1', name: 'eu', url: 'u1' }, { $id: 'r2', name: 'eu.west', url: 'x', note: 'n' }] }], // prettier-ignore
  ['a row by its number', 'pairs.0.value', { pairs: [{ $id: 'p1', key: 'k', value: 'x' }] }],
  ['a new row where rows have no names', 'pairs.1.value', { pairs: [SAVED.pairs[0], { value: 'x' }] }],
  ['a name that is not known, for the server to explain', 'base_ur', { base_ur: 'x' }],
  ['a path into something that has no parts', 'base_url.host', { 'base_url.host': 'x' }],
])('sets %s', (_title, path, expected) => {
  expect(changesAfter((draft) => draft.set(path, 'x'))).toEqual(expected);
});

it('sends only what was touched, and several changes of one list together', () => {
  const changes = changesAfter((draft) => {
    draft.set('instances.eu.url', 'a');
    draft.set('instances.us.url', 'b');
    draft.unset('instances.eu.west');
  });
  expect(changes).toEqual({ instances: [{ $id: 'r1', name: 'eu', url: 'a' }, { name: 'us', url: 'b' }] }); // prettier-ignore
});

it('leaves the saved values as they were', () => {
  const before = structuredClone(SAVED);
  changesAfter((draft) => draft.set('instances.eu.url', 'a'));
  expect(SAVED).toEqual(before);
});

it.each(['__proto__', 'instances.eu.__proto__', 'instances.__proto__.url', 'a..b', ''])(
  'refuses the path %j',
  (path) => {
    expect(() => changesAfter((draft) => draft.set(path, 'x'))).toThrow('is not the name of a setting');
  },
);
