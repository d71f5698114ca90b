import { expect, it } from 'vitest';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { instanceNames } from './instance-names.ts';

const fields = (name?: object): Record<string, SettingField> =>
  ({ instances: { type: 'instances', fields: name === undefined ? {} : { name } } }) as never;
const PLAIN = fields({ type: 'string' });
const rows = (...names: unknown[]) => ({ instances: names.map((name) => ({ name })) }) as never;

it.each<[about: string, fields: Record<string, SettingField>, document: never, names: string[]]>([
  ['the names in the order of the rows', PLAIN, rows('b', 'a'), ['b', 'a']],
  ['a name twice only once', PLAIN, rows('a', 'a'), ['a']],
  ['the default of a name that is left out', fields({ default: 'main' }), rows(undefined, 'a'), ['main', 'a']],
  ['none without a row', PLAIN, {} as never, []],
  ['none of a connector with one instance', {}, rows('a'), []],
  ['none of rows without a name', fields(), rows('a'), []],
  ['none where one is missing', PLAIN, rows('a', undefined), []],
  ['none where one is not a text', PLAIN, rows('a', 7), []],
  ['none where one is sealed', PLAIN, rows('a', { $sealed: 'x', saved_at: '' }), []],
  ['none where names are secrets', fields({ type: 'secret' }), rows('a'), []],
  ['none where one refers to another connector', PLAIN, rows('a', '{connector:x.token}'), []],
])('tells %s', (_about, declared, document, names) => {
  expect(instanceNames(declared, document)).toEqual(names);
});
