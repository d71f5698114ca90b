import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { toPackage, type Tool } from '../../../shared/manifest/connector.ts';
import type { Manifest } from '../../../shared/manifest/schema/manifest.ts';
import { outputSchema } from './output-schema.ts';

function toolWith(more: object): Tool {
  const tools = { get: { protocol: 'http', request: { url: 'https://a.test' }, ...more } };
  const pack = toPackage({ id: 'a', name: 'A', version: '1.0.0', tools } as unknown as Manifest, new Map());
  return pack.connectors[0]!.tools['get']!;
}

const result = (more: object) => {
  const schema = outputSchema(toolWith(more)) as { properties: { result: unknown } } | null;
  return schema?.properties.result;
};

describe('what a tool returns', () => {
  it.each<[string, object, unknown]>([
    ['nothing said', {}, undefined],
    ['in words', { returns: 'A unified diff.' }, { description: 'A unified diff.' }],
    [
      'fields',
      { response_fields: ['id', 'user.name'] },
      { properties: { id: {}, user: { properties: { name: {} } } } },
    ],
    ['fields of items', { items_path: 'data', response_fields: ['id'] }, { items: { properties: { id: {} } } }],
    ['renamed fields', { response_fields: { key: 'id', who: 'user.name' } }, { properties: { key: {}, who: {} } }],
    [
      'lists inside',
      { response_fields: ['results[].id', 'results[].tags[].name', 'next'] },
      {
        properties: {
          results: { items: { properties: { id: {}, tags: { items: { properties: { name: {} } } } } } },
          next: {},
        },
      },
    ],
    ['a list at the top', { response_fields: ['[].id'] }, { items: { properties: { id: {} } } }],
    [
      'a schema',
      {
        returns: {
          type: 'object',
          required: ['a'],
          additionalProperties: false,
          properties: { a: { type: 'integer', description: 'How many.' }, b: true },
        },
      },
      { properties: { a: { description: 'How many.' }, b: {} } },
    ],
    [
      'words and fields',
      { returns: 'Rows.', response_fields: ['id'] },
      { description: 'Rows.', properties: { id: {} } },
    ],
  ])('%s', (_title, more, expected) => {
    expect(result(more)).toEqual(expected);
  });

  it('makes no result invalid, whatever a service answers', () => {
    const schema = outputSchema(
      toolWith({ items_path: 'data', response_fields: ['id', 'user.name'], returns: 'Rows.' }),
    );
    const check = new Ajv2020({ strictTypes: false }).compile(schema!);
    for (const value of [[], [{ id: null }], [7], {}, { error: 'x' }, 'text', null, 1, [[{ user: 'x' }]]])
      expect(check({ result: value }), JSON.stringify(value)).toBe(true);
  });
});
