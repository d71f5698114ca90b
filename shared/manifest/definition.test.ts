import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../json.ts';
import { changesByTool } from './changes-by-tool.ts';
import type { ConnectorPackage } from './connector.ts';
import { diffDefinitions } from './definition-diff.ts';
import { NO_EFFECT, patternOf, placeOf, type Path } from './definition-places.ts';
import { definitionOf, definitionText, toolsIn } from './definition.ts';
import { lintManifest } from './lint.ts';

function read(text: string): ConnectorPackage {
  const report = lintManifest(text, { forgeVersion: '999.0.0' });
  if (report.package === null) throw new Error(JSON.stringify(report.diagnostics));
  return report.package;
}

const head = 'id: a\nname: A\nversion: "1.0.0"\n';
const tool = (keys: string): string => `${head}tools: { t: { protocol: http, ${keys} } }`;
const ONE = 'tools: { t: { protocol: shell, command: [ls] } }';
const FOLDER = new URL('fixtures/', import.meta.url);
const SAMPLES = readdirSync(FOLDER).map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
const BUNDLE = `id: suite
name: Suite
version: "1.0.0"
author: Somebody
category: Work
icon: X
min_forge_version: "0.1.0"
settings: { base_url: { label: Address, default: 'https://a.test', placeholder: p } }
connectors:
  - { id: one, name: One, icon: Y, description: One., tools: { get: { protocol: http, request: { url: '{base_url}' } } } }
  - id: two
    name: Two
    host_match: https://b.test/*
    tools: { look: { script: return 1, page: { url: 'https://b.test' } }, run: { protocol: shell, command: [ls, -l] } }
`;

/** Every plain value of a package with another one in its place. */
function* variants(value: unknown, at: Path = []): Generator<{ at: Path; next: unknown }> {
  const entries = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : null;
  if (entries === null) {
    yield { at, next: typeof value === 'string' ? `${value}x` : typeof value === 'boolean' ? !value : 'x' };
    return;
  }
  for (const [step, item] of entries)
    for (const { at: inner, next } of variants(item, [...at, step]))
      yield { at: inner, next: replaced(value, step, next) };
}

function replaced(value: unknown, step: string | number, next: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === step ? next : item));
  return { ...(value as object), [step]: next };
}

describe('S2 a definition', () => {
  it.each([...SAMPLES, BUNDLE].map((text) => [/^name: (.*)$/m.exec(text)?.[1], text] as const))(
    'holds everything of %s except what is listed as having no effect',
    (_name, text) => {
      const pack = read(text);
      const before = definitionText(definitionOf(pack));
      const ignored = new Set<string>();
      for (const { at, next } of variants(pack)) {
        if (definitionText(definitionOf(next as ConnectorPackage)) === before) ignored.add(patternOf(placeOf(at)));
      }
      expect([...ignored].filter((place) => !Object.hasOwn(NO_EFFECT, place))).toEqual([]);
      expect(ignored.has('package.version')).toBe(true);
    },
  );

  it('has one line for the name that a package shares with its only connector', () => {
    const named = (name: string) => definitionOf(read(`${head.replace('name: A', `name: ${name}`)}${ONE}`));
    const lines = diffDefinitions(named('One'), named('Other'));
    expect(lines.map(({ words }) => words)).toEqual(['Name', 'Name']);
    const [own, ...others] = changesByTool(lines);
    expect([own?.tool, own?.lines, others]).toEqual([null, lines.slice(0, 1), []]);
  });

  it('holds a key that nobody has heard of', () => {
    const pack = read(tool("request: { url: 'https://a.test' }"));
    const next = JSON.parse(
      JSON.stringify(pack).replace('"timeout_ms"', '"brand_new":{"deep":1},"timeout_ms"'),
    ) as ConnectorPackage;
    expect(diffDefinitions(definitionOf(pack), definitionOf(next))).toMatchObject([
      { tool: 'a.t', place: 'brand_new.deep', words: 'brand_new.deep', kind: 'added', weight: 'effect' },
    ]);
  });

  it.each([
    [
      'of a tool',
      tool("description: d, request: { url: 'https://a.test', method: PUT }"),
      tool("request: { method: PUT, url: 'https://a.test' }, description: d"),
    ],
    [
      'of settings',
      `${head}settings: { x: { type: integer, default: 1 } }\n${ONE}`,
      `${head}settings: { x: { default: 1, type: integer } }\n${ONE}`,
    ],
  ])('is the same whatever the order of keys that are read by name: %s', (_what, one, other) => {
    expect(definitionText(definitionOf(read(one)))).toBe(definitionText(definitionOf(read(other))));
  });

  it.each([
    [
      'headers',
      "request: { url: 'https://a.test', headers: { X: a, x: b } }",
      "request: { url: 'https://a.test', headers: { x: b, X: a } }",
    ],
    ['a list', "request: { url: 'https://a.test', body: [a, b] }", "request: { url: 'https://a.test', body: [b, a] }"],
  ])('is another one where the order may matter: %s', (_what, one, other) => {
    const [before, after] = [definitionOf(read(tool(one))), definitionOf(read(tool(other)))];
    expect(diffDefinitions(before, after)).toMatchObject([{ tool: 'a.t', kind: 'changed', weight: 'effect' }]);
  });

  it('of a tool includes the tools that its watch may run, through any number of others', () => {
    const watch = (poll: string, then: string): string =>
      `async: { poll: ${poll}, done_path: x, on_done: { mode: tool, tool: ${then} } }`;
    const get = (name: string, more = ''): string =>
      `  ${name}: { protocol: http, request: { url: 'https://a.test' }${more} }\n`;
    const text = `${head}tools:\n${get('a', `, ${watch('p', 'b')}`)}${get('b', `, ${watch('p', 'c')}`)}${get('c')}${get('p')}${get('other')}`;
    const chained = new Map(toolsIn(definitionOf(read(text))).map((one) => [one.id, one.chained]));
    expect(chained.get('a.a')).toEqual(['b', 'c', 'p']);
    expect(chained.get('a.b')).toEqual(['c', 'p']);
    expect(chained.get('a.other')).toEqual([]);
  });
});

describe('S2 a difference', () => {
  it('tells values that read alike apart, and lists from objects', () => {
    const body = (value: string) =>
      definitionOf(read(tool(`request: { url: 'https://a.test', body: { x: ${value} } }`)));
    expect(diffDefinitions(body('1'), body('"1"'))).toMatchObject([{ before: '1', after: '"1"' }]);
    expect(diffDefinitions(body('[{ a: 1 }]'), body('{ "0": { a: 1 } }'))).not.toEqual([]);
    expect(diffDefinitions(body('{}'), body('[]'))).not.toEqual([]);
    expect(diffDefinitions(body('null'), body('{}'))).not.toEqual([]);
  });

  it('puts what has an effect before texts, and says of a tool that is gone only that', () => {
    const before = definitionOf(
      read(
        `${head}tools: { t: { protocol: shell, description: d, command: [ls] }, u: { protocol: shell, command: [ls] } }`,
      ),
    );
    const after = definitionOf(read(`${head}tools: { t: { protocol: shell, description: e, command: [rm] } }`));
    expect(diffDefinitions(before, after).map(({ tool: id, place, weight }) => [id, place, weight])).toEqual([
      ['a.t', 'command', 'effect'],
      ['a.t', 'description', 'text'],
      ['a.u', '', 'less'],
    ]);
  });
});
