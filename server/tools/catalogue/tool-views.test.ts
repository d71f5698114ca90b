import { expect, it } from 'vitest';
import { toPackage, type ConnectorPackage } from '../../../shared/manifest/connector.ts';
import { openToolModes } from '../../connectors/testing/tool-modes.ts';
import type { Catalog } from '../../connectors/catalog.ts';
import { NO_INSTANCES } from '../../settings/testing/no-instances.ts';
import { createToolViews } from './tool-views.ts';

const pack = (id: string, tool: string): ConnectorPackage =>
  toPackage(
    {
      id,
      name: id,
      version: '1.0.0',
      tools: { [tool]: { protocol: 'shell', description: 'Say.', command: ['echo'] } },
    },
    new Map(),
  );

const toolModes = await openToolModes();

/** Views of what stands in `shown` at the moment. */
function world(...shown: ConnectorPackage[]) {
  // A view looks at nothing else of a connector.
  const list = () => shown.map((one) => ({ package: one, installation: null })) as ReturnType<Catalog['list']>;
  return { shown, views: createToolViews({ catalog: { list }, toolModes, settings: NO_INSTANCES }, 40) };
}

const ALL = { connectors: [] };
/** One connector each, so that each is a scope of its own. */
const scopes = (count: number) => Array.from({ length: count }, (_, index) => ({ connectors: [`c${index}`] }));

it('writes a list once, and hands the same one to every client with the same scope', () => {
  const { views } = world(pack('a', 'one'));
  const first = views.look(ALL);
  expect(views.look({ connectors: [] })).toBe(first);
  expect(views.last(ALL)).toBe(first);
  expect(views.look({ connectors: ['a'] })).not.toBe(first);
  expect(views.look({ ...ALL, limits: { connectors: ['b'], readOnly: false } }).tools).toEqual([]);
});

it('writes it again when a connector was edited, added or removed', () => {
  const { shown, views } = world(pack('a', 'one'));
  const first = views.look(ALL);
  shown[0] = pack('a', 'two');
  const edited = views.look(ALL);
  expect(edited).not.toBe(first);
  expect([edited.json.includes('a__one'), edited.json.includes('a__two')]).toEqual([false, true]);
  expect(views.look(ALL)).toBe(edited);
  shown.push(pack('b', 'three'));
  expect(views.look(ALL).tools.map(({ name }) => name)).toEqual(['a__two', 'b__three']);
  shown.splice(0, 1);
  expect(views.look(ALL).tools.map(({ name }) => name)).toEqual(['b__three']);
});

it('shows what was seen last without looking again', () => {
  const { shown, views } = world(pack('a', 'one'));
  const first = views.look(ALL);
  shown[0] = pack('a', 'two');
  expect(views.last(ALL)).toBe(first);
});

it('keeps 64 lists, and lets go of the oldest', () => {
  const { views } = world(pack('a', 'one'));
  const first = views.look(ALL);
  for (const scope of scopes(63)) views.look(scope);
  expect(views.look(ALL)).toBe(first);
  for (const scope of scopes(64)) views.look(scope);
  expect(views.look(ALL)).not.toBe(first);
});

it('lets go of no other list when one is written again', () => {
  const { shown, views } = world(pack('a', 'one'));
  views.look(ALL);
  const others = scopes(63).map((scope) => views.look(scope));
  shown[0] = pack('a', 'two');
  views.look({ connectors: ['c62'] });
  expect(views.last(ALL).json).toContain('a__one');
  expect(scopes(62).map((scope) => views.last(scope))).toEqual(others.slice(0, 62));
});
