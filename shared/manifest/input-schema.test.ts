import { describe, expect, it } from 'vitest';
import { toPackage, type ConnectorPackage, type Tool } from './connector.ts';
import { inputSchema } from './input-schema.ts';

const MULTI = { instances: { type: 'instances', fields: { name: { required: true } } } };

/** A package with one tool, as far as the schema of its arguments goes. */
function packed(parameters: object, settings: object = {}): { pack: ConnectorPackage; tool: Tool } {
  const tools = { t: { protocol: 'shell', description: 'Say.', command: ['echo'], parameters } };
  const pack = toPackage({ id: 'a', name: 'A', version: '1.0.0', settings, tools } as never, new Map());
  const tool = pack.connectors[0]?.tools['t'];
  if (tool === undefined) throw new Error('the tool is missing');
  return { pack, tool };
}

function propertyOf(name: string, parameters: object, settings?: object, instances?: readonly string[]): unknown {
  const { pack, tool } = packed(parameters, settings);
  return (inputSchema(tool, pack.settings, instances)['properties'] as Record<string, unknown>)[name];
}

describe('options', () => {
  it.each([
    [{ options: ['a', 'b'] }, 'string'],
    [{ type: 'select', options: ['a', 'b'] }, 'string'],
    [{ type: 'select', options: [1, 2] }, 'integer'],
    [{ type: 'json', options: [1, 2.5] }, ['integer', 'number']],
    [{ options: [true, false] }, 'boolean'],
    [{ type: 'select', options: ['a', 1] }, ['string', 'integer']],
  ])('of %j have the type their values have', (parameter, type) => {
    expect(propertyOf('p', { p: parameter })).toMatchObject({ type, enum: parameter.options });
  });
});

describe('the instance', () => {
  it('C-91 is one of the configured names', () => {
    expect(propertyOf('instance', {}, MULTI, ['prod', 'dev'])).toMatchObject({ type: 'string', enum: ['prod', 'dev'] });
    expect(propertyOf('instance', {}, {}, ['prod'])).toBeUndefined();
  });

  it('is any text while no name is known', () => {
    expect(propertyOf('instance', {}, MULTI)).toEqual({
      type: 'string',
      description: 'Which of the configured instances to use, by name. Left out: the first one.',
    });
  });

  it('is one of the names in a tool that describes it in its own words, unless it has options of its own', () => {
    const own = { instance: { type: 'string', description: 'The shop.' } };
    expect(propertyOf('instance', own, MULTI, ['prod'])).toEqual({
      type: 'string',
      enum: ['prod'],
      description: 'The shop.',
    });
    expect(propertyOf('instance', { instance: { options: ['x'] } }, MULTI, ['prod'])).toMatchObject({ enum: ['x'] });
  });

  it('names a few where there are too many to list', () => {
    const names = Array.from({ length: 300 }, (_, index) => `shop-${index}`);
    expect(propertyOf('instance', {}, MULTI, names)).toEqual({
      type: 'string',
      description: expect.stringMatching(/There are "shop-0", .*"shop-4" and 295 more\.$/),
    });
    expect(propertyOf('instance', {}, MULTI, ['x'.repeat(2000)])).toEqual({
      type: 'string',
      description: expect.stringContaining('There are a text of 2002 characters.'),
    });
  });
});
