import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { parsePath, pickPath } from './path.ts';
import { projectResult, type Projection } from './project.ts';

const pick = (value: JsonValue, path: string): JsonValue | undefined => pickPath(value, parsePath(path) ?? []);

describe('paths', () => {
  const value = {
    a: { b: [{ c: 1 }, { c: null }, {}], 'x.y': 2 },
    list: [{ tags: [{ n: 'p' }, { n: 'q' }] }, { tags: [{ n: 'r' }] }],
    none: null,
  };

  it.each<[string, JsonValue | undefined]>([
    ['a.b[0].c', 1],
    ['a.b[1].c', null],
    ['a.b[2].c', undefined],
    ['a.b[9].c', undefined],
    ['a.b[].c', [1, null]],
    ['a.b[*].c', [1, null]],
    ['a.b.c', [1, null]],
    ['a["x.y"]', 2],
    ["a['x.y']", 2],
    ['$.a.b[0].c', 1],
    ['list[].tags[].n', ['p', 'q', 'r']],
    ['list[].tags', [[{ n: 'p' }, { n: 'q' }], [{ n: 'r' }]]],
    ['list[1].tags[].n', ['r']],
    ['none', null],
    ['none.x', undefined],
    ['a[].b', undefined],
    ['missing[].x', undefined],
    ['toString', undefined],
    ['a.b.length', []],
    ['', value],
  ])('W-07 %s', (path, expected) => {
    expect(pick(value, path)).toEqual(expected);
  });

  it.each(['a..b', 'a[', 'a]', 'a[x]', 'a[0]b', 'a.', '[""]', '__proto__.x', 'a.constructor', 'a["prototype"]'])(
    'W-07 refuses %j',
    (path) => {
      expect(parsePath(path)).toBeNull();
    },
  );
});

describe('W-07 projecting a response', () => {
  const slack = { ok: true, messages: [{ ts: '1', user: 'U1', blocks: [] }, { ts: '2' }], has_more: false };
  const user = {
    id: 1,
    name: 'ana',
    team: { id: 7, lead: null },
    tags: [{ n: 'a', x: 1 }, { n: 'b' }, { x: 2 }],
    note: null,
  };

  it.each<[string, Projection, JsonValue, JsonValue]>([
    ['nothing asked', {}, slack, slack],
    ['items_path', { items_path: 'messages' }, slack, slack.messages],
    ['items_path to one item', { items_path: 'messages[1]' }, slack, { ts: '2' }],
    ['items_path through lists', { items_path: 'a[].b[]' }, { a: [{ b: [1, 2] }, { b: [3] }] }, [1, 2, 3]],
    ['items_path that is null', { items_path: 'a' }, { a: null }, null],
    [
      'items_path that is missing',
      { items_path: 'messages', response_fields: ['ts'] },
      { ok: false, error: 'no' },
      { ok: false, error: 'no' },
    ],
    [
      'fields keep the shape',
      { response_fields: ['messages[].ts', 'has_more'] },
      slack,
      { messages: [{ ts: '1' }, { ts: '2' }], has_more: false },
    ],
    ['fields of fields', { response_fields: ['team.id', 'name'] }, user, { team: { id: 7 }, name: 'ana' }],
    ['fields of items', { response_fields: ['tags[].n'] }, user, { tags: [{ n: 'a' }, { n: 'b' }, {}] }],
    [
      'fields of items without the brackets',
      { response_fields: ['tags.n'] },
      user,
      { tags: [{ n: 'a' }, { n: 'b' }, {}] },
    ],
    ['one item', { response_fields: ['tags[1].n'] }, user, { tags: [{ n: 'b' }] }],
    [
      'fields on a list are those of each item',
      { response_fields: ['id'] },
      [{ id: 1, x: 2 }, { x: 3 }],
      [{ id: 1 }, {}],
    ],
    ['fields on a list, with brackets', { response_fields: ['[].id'] }, [{ id: 1, x: 2 }], [{ id: 1 }]],
    ['fields of items_path', { items_path: 'messages', response_fields: ['ts'] }, slack, [{ ts: '1' }, { ts: '2' }]],
    ['null is kept', { response_fields: ['note', 'team.lead'] }, user, { note: null, team: { lead: null } }],
    ['below null there is nothing', { response_fields: ['note.x', 'team.lead.name', 'id'] }, user, { id: 1 }],
    ['missing is left out', { response_fields: ['nope', 'team.nope', 'id'] }, user, { id: 1 }],
    [
      'a whole branch and a part of it',
      { response_fields: ['team', 'team.id'] },
      user,
      { team: { id: 7, lead: null } },
    ],
    ['an empty list stays one', { response_fields: ['a[].b'] }, { a: [] }, { a: [] }],
    [
      'renamed',
      { response_fields: { who: 'name', team: 'team.id', lead: 'team.lead', gone: 'nope' } },
      user,
      { who: 'ana', team: 7, lead: null },
    ],
    ['renamed lists', { response_fields: { tags: 'tags[].n', none: 'nope[].x' } }, user, { tags: ['a', 'b'] }],
    [
      'renamed on a list, per item',
      { response_fields: { n: 'id' } },
      [{ id: 1 }, { id: 2 }, {}],
      [{ n: 1 }, { n: 2 }, {}],
    ],
    ['renamed on a list, as a whole', { response_fields: { ids: '[].id' } }, [{ id: 1 }, { id: 2 }], { ids: [1, 2] }],
    ['a text has no fields', { response_fields: ['a'] }, 'plain', 'plain'],
    ['inherited names are no fields', { response_fields: ['toString', 'valueOf'] }, {}, {}],
  ])('%s', (_title, projection, value, expected) => {
    expect(projectResult(value, projection)).toEqual(expected);
  });

  it.each<[string, Projection]>([
    ['items_path', { items_path: 'a..b' }],
    ['a field', { response_fields: ['a[', 'b'] }],
    ['a prototype', { response_fields: ['__proto__.polluted'] }],
    ['a renamed path', { response_fields: { x: 'constructor.name' } }],
    ['a new name', { response_fields: JSON.parse('{"__proto__": "a"}') as Record<string, string> }],
  ])('refuses %s that cannot be read', (_title, projection) => {
    expect(() => projectResult({ a: 1 }, projection)).toThrow(expect.objectContaining({ code: 'connector_broken' }));
  });

  it('never touches a prototype, whatever the response holds', () => {
    const hostile = JSON.parse('{"a": {"__proto__": {"polluted": true}, "b": 1}}') as JsonValue;
    const projected = projectResult(hostile, { response_fields: ['a.b'] });
    expect(projected).toEqual({ a: { b: 1 } });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('leaves the response as it was', () => {
    const before = structuredClone(user);
    projectResult(user, { response_fields: ['team.id'] });
    expect(user).toEqual(before);
  });
});
