import { expect, it } from 'vitest';
import { diffDefinitions } from '../definition-diff.ts';
import { definitionOf } from '../definition.ts';
import { findings, HEAD, lint } from '../testing/lint.ts';

const TOOLS = 'tools:\n  t: { description: Reads., script: return 1 }\n';
const SITE = `${HEAD}host_match: "https://a.test/*"\n`;
const package_ = (yaml: string) => lint(yaml).package!;

it('C-119 a sign of a login tells as much as the address of a login page', () => {
  const missing = expect.stringContaining('login_redirect');
  expect(findings(SITE + TOOLS)).toContainEqual(missing);
  expect(findings(`${SITE}logged_in_selector: "#me"\n${TOOLS}`)).not.toContainEqual(missing);
});

it.each([
  ['logged_in_selector: "#{name}"', 'not filled in'],
  ['test: { probe: browser, auth_required_selector: "#{name}" }', 'not filled in'],
  ['test: { probe: browser, auth_required_selector: "#me" }\nlogged_in_selector: "#me"', 'logged in and logged out'],
])('warns about %s', (lines, words) => {
  expect(findings(`${SITE}login_redirect: /login\n${lines}\n${TOOLS}`)).toEqual([expect.stringContaining(words)]);
});

it('warns about a tool of the same mistake', () => {
  const tools = TOOLS.replace('script:', 'logged_in_selector: "#{args.x}", script:');
  expect(findings(`${SITE}login_redirect: /login\n${tools}`)).toContainEqual(expect.stringContaining('not filled in'));
});

it('S2 a sign that appears or changes is a difference a person is shown, and without one definitions stay as they were', () => {
  const before = definitionOf(package_(SITE + TOOLS));
  expect(JSON.stringify(before)).not.toContain('logged_in');
  const after = definitionOf(
    package_(`${SITE}logged_in_selector: "#me"\n${TOOLS.replace('script:', 'logged_in_selector: "#you", script:')}`),
  );
  expect(
    diffDefinitions(before, after).map(({ tool, words, weight, after: now }) => [tool, words, weight, now]),
  ).toEqual([
    [null, 'How a login is recognised', 'effect', '#me'],
    [expect.stringMatching(/\.t$/), 'How a login is recognised', 'effect', '#you'],
  ]);
});
