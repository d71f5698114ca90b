import { expect, it } from 'vitest';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { savedNames } from './saved-names.ts';

const FIELDS: Record<string, SettingField> = {
  base_url: {},
  region: {},
  instances: { type: 'instances', fields: { name: {}, base_url: { default: 'http://127.0.0.1' }, region: {} } },
};
const ROWS = {
  base_url: 'http://top.test',
  region: 'eu',
  instances: [
    { $id: '1', name: 'a', base_url: 'http://a.test' },
    { $id: '2', name: 'b' },
  ],
};

it.each<[string | undefined, boolean]>([
  [undefined, true],
  ['a', true],
  ['b', false],
  ['c', false],
])('K-61 a column counts as saved only where the chosen row holds it: %s', (instance, isSaved) => {
  const names = savedNames(FIELDS, ROWS, instance);
  expect([names.has('base_url'), names.has('region')]).toEqual([isSaved, true]);
});

it('K-61 without rows the saved settings count', () => {
  expect(savedNames({ base_url: {} }, { base_url: 'x' }, undefined)).toEqual(new Set(['base_url']));
});
