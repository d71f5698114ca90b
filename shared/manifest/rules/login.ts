import type { Finding } from '../diagnostic.ts';
import { warning, type Rule } from '../rule.ts';

/** What tells whether somebody is logged in: selectors are used as they are written, and cannot mean both. */
export const login: Rule = function* ({ manifest, parts, tools }) {
  const top = parts.some(({ path }) => path.length === 0) ? [] : [{ part: manifest, path: [] }];
  for (const { part, path } of [...top, ...parts]) {
    const loggedOut = part.test?.auth_required_selector ?? manifest.test?.auth_required_selector;
    yield* checkSelector(part.logged_in_selector, loggedOut, [...path, 'logged_in_selector']);
    yield* checkSelector(part.test?.auth_required_selector, undefined, [...path, 'test', 'auth_required_selector']);
  }
  for (const { tool, path, part } of tools) {
    if (!('logged_in_selector' in tool)) continue;
    const { test } = part.part;
    const loggedOut = (test ?? manifest.test)?.auth_required_selector;
    yield* checkSelector(tool.logged_in_selector, loggedOut, [...path, 'logged_in_selector']);
  }
};

function* checkSelector(
  selector: string | undefined,
  opposite: string | undefined,
  path: readonly string[],
): Generator<Finding> {
  if (selector === undefined || selector === '') return;
  if (selector.includes('{'))
    yield warning('login-selector', path, 'a selector is used as it is written: templates in it are not filled in');
  if (selector === opposite)
    yield warning('login-selector', path, 'the same selector means logged in and logged out', {
      hint: 'auth_required_selector is for an element that only a logged-out page has.',
    });
}
