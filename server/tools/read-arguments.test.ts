import { describe, expect, it } from 'vitest';
import { readArguments } from './read-arguments.ts';
import { packageOf, toolOf } from './testing/package.ts';

const pack = packageOf(`settings: { default_project: {}, default_n: { type: number } }
tools:
  t:
    protocol: shell
    command: [echo]
    parameters:
      project: { type: string, required: true }
      status: { type: select, options: [open, done], default: open }
      n: { type: number }
      i: { type: integer }
      flag: { type: boolean }
      any: { type: json }
      obj: { type: object }
      list: { type: array }
`);
const tool = toolOf(pack);
const read = (given: unknown, settings: Record<string, unknown> = {}) => readArguments(tool, pack, given, settings);

describe('arguments', () => {
  it('C-31 fills in a default when the argument is left out or null', () => {
    expect(read({ project: 'A' })).toEqual({ project: 'A', status: 'open' });
    expect(read({ project: 'A', status: null })).toEqual({ project: 'A', status: 'open' });
    expect(read({ project: 'A', status: 'done' })).toEqual({ project: 'A', status: 'done' });
  });

  it('W-09 takes the setting default_<name> before it asks for a required argument', () => {
    expect(read({}, { default_project: 'FROM', default_n: 7 })).toEqual({ project: 'FROM', status: 'open', n: 7 });
    expect(() => read({}, { default_project: '' })).toThrow('the argument project is required');
  });

  it.each([
    ['any', '{"a":1}', { a: 1 }],
    ['any', '[1,2]', [1, 2]],
    ['any', 'plain words', 'plain words'],
    ['any', { a: 1 }, { a: 1 }],
    ['obj', '{"a":1}', { a: 1 }],
    ['list', '["x"]', ['x']],
    ['list', ['x'], ['x']],
    ['n', '42', 42],
    ['n', ' -1.5e3 ', -1500],
    ['i', '7', 7],
    ['flag', 'true', true],
    ['flag', 'false', false],
    ['project', '42', '42'],
  ])('C-86 %s takes %j', (name, given, kept) => {
    expect(read({ project: 'A', [name]: given })[name]).toEqual(kept);
  });

  it.each([
    [{}, /the argument project is required/],
    [{ project: 5 }, /the argument project must be of type string, not 5/],
    [{ project: 'A', status: 'closed' }, /status must be one of \["open","done"\], not "closed"/],
    [{ project: 'A', n: '7 days' }, /n must be of type number, not "7 days"/],
    [{ project: 'A', n: '' }, /n must be of type number, not ""/],
    [{ project: 'A', n: '0x10' }, /n must be of type number, not "0x10"/],
    [{ project: 'A', n: 'Infinity' }, /n must be of type number/],
    [{ project: 'A', i: '9007199254740993' }, /i must be of type integer, not "9007199254740993"/],
    [{ project: 'A', i: '1.5' }, /i must be of type integer, not 1.5/],
    [{ project: 'A', i: 1.5 }, /i must be of type integer, not 1.5/],
    [{ project: 'A', flag: 'yes' }, /flag must be of type boolean/],
    [{ project: 'A', obj: 'x' }, /obj must be of type object, not "x"/],
    [{ project: 'A', list: {} }, /list must be of type array/],
    [{ project: 'A', projct: 'B' }, /t has no argument "projct"; it takes project, status/],
    ['text', /must be a JSON object/],
    [[1], /must be a JSON object/],
    [JSON.parse('{"__proto__": 1}'), /__proto__ is not an argument/],
  ])('C-32 refuses %j by name, with what was expected and what was given', (given, message) => {
    expect(() => read(given)).toThrow(message);
    expect(() => read(given)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  it('C-91 knows the instance parameter of a multi-instance connector', () => {
    const several = packageOf(
      `settings: { instances: { type: instances, fields: { name: {} } } }\ntools: { t: { protocol: shell, command: [echo] } }`,
    );
    expect(readArguments(toolOf(several), several, { instance: 'prod' }, {})).toEqual({ instance: 'prod' });
    expect(() => read({ project: 'A', instance: 'prod' })).toThrow(/no argument "instance"/);
  });
});
