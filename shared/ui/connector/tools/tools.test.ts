/// <reference types="node" />
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { argFields, readArgs } from './args-form.ts';
import { curlOfCall, curlOfRequest, mcpCall } from './copy-call.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    key: { type: 'string', description: 'Which one.' },
    comment: { type: 'string' },
    limit: { type: 'integer', default: 25 },
    ratio: { type: 'number' },
    all: { type: 'boolean' },
    status: { enum: ['open', 2], default: 'open' },
    labels: { type: 'array', items: {} },
    filter: { type: 'object' },
    any: {},
    instance: { type: 'string', enum: ['old'] },
  },
  required: ['key'],
};

describe('the form of a tool', () => {
  it.each(['toString', '__proto__', 'constructor'])('takes an argument called %s for what it is', (name) => {
    const fields = argFields({ properties: Object.fromEntries([[name, { type: 'string' }]]) });
    expect(readArgs(fields, {})).toEqual({ args: {}, problems: new Map() });
    const { args } = readArgs(fields, Object.fromEntries([[name, 'x']]));
    expect(Object.entries(args)).toEqual([[name, 'x']]);
  });

  it('asks for each argument by its type', () => {
    const fields = argFields(SCHEMA, ['prod', 'dev']);
    expect(fields.map(({ name, input }) => [name, input.kind])).toEqual([
      ['key', 'text'],
      ['comment', 'text'],
      ['limit', 'number'],
      ['ratio', 'number'],
      ['all', 'choice'],
      ['status', 'choice'],
      ['labels', 'json'],
      ['filter', 'json'],
      ['any', 'json'],
      ['instance', 'choice'],
    ]);
    expect(fields[0]).toMatchObject({ required: true, help: 'Which one.', input: { isLong: false } });
    expect(fields[1]).toMatchObject({ required: false, input: { isLong: true } });
    expect(fields[2]).toMatchObject({ input: { placeholder: '25', isWhole: true } });
    expect(fields[9]).toMatchObject({ input: { options: ['prod', 'dev'], fallback: 'prod' } });
  });

  it('sends what was typed, in its type, and leaves out the rest', () => {
    const texts = {
      key: 'A-1',
      limit: '5',
      all: 'false',
      status: '2',
      labels: '["a"]',
      filter: '{"b":1}',
      any: 'plain words',
    };
    expect(readArgs(argFields(SCHEMA), texts)).toEqual({
      args: { key: 'A-1', limit: 5, all: false, status: 2, labels: ['a'], filter: { b: 1 }, any: 'plain words' },
      problems: new Map(),
    });
  });

  it('says what is wrong beside the argument', () => {
    const texts = { limit: '1.5', ratio: 'x', labels: '{}', filter: '[', any: '{"a"' };
    const { problems } = readArgs(argFields(SCHEMA), texts);
    expect([...problems.keys()]).toEqual(['key', 'limit', 'ratio', 'labels', 'filter', 'any']);
    expect(problems.get('limit')).toBe('must be a whole number');
    expect(problems.get('filter')).toContain('is not valid JSON');
  });

  it('is empty for a schema that has nothing to ask for', () => {
    for (const schema of [null, {}, { properties: [] }, 'x']) expect(argFields(schema)).toEqual([]);
  });
});

/** What a shell makes of a command line, with printf in curl's place. */
function shellWords(command: string): string[] {
  const script = `TOKEN=t0k; curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('copying a call', () => {
  const hostile = { text: `it's "$(touch /tmp/x)" \`id\` $HOME \n; rm -rf /` };

  it('writes a command line that a shell reads as it was meant, with a placeholder for the token', () => {
    const command = curlOfCall('http://127.0.0.1:8403', 'demo.say', hostile);
    expect(command).toContain('$TOKEN');
    const words = shellWords(command);
    expect(words.slice(0, 4)).toEqual(['-X', 'POST', 'http://127.0.0.1:8403/api/tools/demo.say/call', '-H']);
    expect(words[4]).toBe('X-Forge-Token: t0k');
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ args: hostile });
  });

  it('puts the placeholder where Forge masks a secret', () => {
    const command = curlOfRequest({
      method: 'POST',
      url: 'https://a.test/x?k=[secret]&n=1',
      headers: { authorization: 'Bearer [secret]', 'x-odd': "it's" },
      body: '{"p":"[secret]"}',
    });
    expect(shellWords(command)).toEqual([
      '-X',
      'POST',
      'https://a.test/x?k=t0k&n=1',
      '-H',
      'authorization: Bearer t0k',
      '-H',
      "x-odd: it's",
      '--data-raw',
      '{"p":"t0k"}',
    ]);
  });

  it('writes the call of an MCP client', () => {
    expect(JSON.parse(mcpCall('demo__say', { a: 1 }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'demo__say', arguments: { a: 1 } },
    });
  });
});
