import { describe, expect, it } from 'vitest';
import { argumentSchema, typedValue } from './typed-value.ts';

describe('typedValue', () => {
  const table: [schema: unknown, text: string, value: unknown][] = [
    [{ type: 'string' }, '12', '12'],
    [{ type: 'string' }, 'true', 'true'],
    [{ type: 'string' }, '', ''],
    [{ type: 'integer' }, '12', 12],
    [{ type: 'integer' }, '-3', -3],
    [{ type: 'integer' }, '12a', '12a'],
    [{ type: 'integer' }, '', ''],
    [{ type: 'integer' }, '"12"', '"12"'],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, '0', '0'],
    [{ type: 'array' }, '[1, "a"]', [1, 'a']],
    [{ type: 'array' }, '{}', '{}'],
    [{ type: 'object' }, '{"a": 1}', { a: 1 }],
    [{ type: 'object' }, '[1]', '[1]'],
    [{}, '{"a": 1}', { a: 1 }],
    [{}, '3', 3],
    [{}, 'plain text', 'plain text'],
    [{ enum: ['1', 2, true] }, '1', '1'],
    [{ enum: ['1', 2, true] }, '2', 2],
    [{ enum: ['1', 2, true] }, 'true', true],
    [{ enum: ['a'] }, 'b', 'b'],
    [undefined, '12', '12'],
  ];
  it.each(table)('C-30 with %j reads %j as %j', (schema, text, value) => {
    expect(typedValue(text, schema)).toEqual(value);
  });

  it('finds the schema of an argument, and only of an argument', () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    expect(argumentSchema(schema, 'id')).toEqual({ type: 'integer' });
    expect(argumentSchema(schema, 'toString')).toBeUndefined();
    expect(argumentSchema(null, 'id')).toBeUndefined();
  });
});
