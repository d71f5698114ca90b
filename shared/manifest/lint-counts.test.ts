import { expect, it } from 'vitest';
import { findings, HEAD, lint, withTool } from './testing/lint.ts';

it('says a warning once and counts its places, and every error', () => {
  const request = (url: string) => `protocol: http, description: Does it., request: { url: '${url}' }`;
  const tools = (url: string) => ['a', 'b', 'c'].map((name) => `  ${name}: { ${request(url)} }\n`).join('');
  const settings = 'settings: { project: {} }\n';
  expect(findings(`${HEAD}${settings}tools:\n${tools('https://a.test/{settings.projct}')}`)).toEqual([
    'warning unknown-setting 7:64 `{settings.projct}` names a setting that is not declared, did you mean `project`? (3 places)',
  ]);
  expect(findings(`${HEAD}tools:\n${tools('ftp://a.test')}`)).toHaveLength(3);
});

it('says once that Forge does not know a word, whichever tools have it', () => {
  const tool = (key: string) => `{ protocol: shell, command: [ls], read_only: true, description: Lists., ${key}: 1 }`;
  const yaml = `${HEAD}tools:\n  a: ${tool('tags')}\n  b: ${tool('tags')}\n  c: ${tool('other')}\n`;
  expect(findings(yaml)).toEqual([
    'warning unknown-key 6:78 unknown key `tags` in `tools.a` (2 places)',
    'warning unknown-key 8:78 unknown key `other` in `tools.c`',
  ]);
});

it('C-02 says once that a tool with a request has no protocol', () => {
  const found = findings(withTool('request: { url: "https://a.test" }'));
  expect(found.filter((line) => line.includes('request'))).toEqual([
    'error protocol 8:5 `t` has `request` and no protocol, did you mean `protocol: http`?',
  ]);
});

it.each([
  ['unknown names', (at: number) => `request: { url: 'https://a.test', query: { q: '{args.x${at}}' } }`],
  ['unknown keys', (at: number) => `key_${at}: 1, request: { url: 'https://a.test', query: { q: '{args.x}' } }`],
])('C-22 finds an error behind hundreds of warnings: %s', (_title, rest) => {
  const tools = Array.from(
    { length: 250 },
    (_, at) => `  t${at}: { protocol: http, description: Does it., ${rest(at)} }\n`,
  );
  const script =
    "  last: { description: Leaks., page: { url: 'https://a.test' }, script: 'return \"{settings.token}\"' }\n";
  const settings = 'settings: { token: { type: secret } }\nhost_match: https://a.test/*\nlogin_redirect: /login\n';
  const report = lint(`${HEAD}${settings}tools:\n${tools.join('')}${script}`);
  expect(report.package).toBeNull();
  expect(report.diagnostics.map(({ rule }) => rule)).toContain('secret-exposed');
});
