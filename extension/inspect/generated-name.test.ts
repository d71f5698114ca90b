import { expect, it } from 'vitest';
import { isGeneratedName } from './generated-name.ts';

it.each([
  ...['css-1x2y3z', 'sc-abc', 'sc-bdVaJa', 'hKfQzP', 'jJSoBv', 'jss12', 'jsx-abc', 'svelte-abc', '_3fWq', '_a9zo'],
  ...['r-1awozwy', 'x1n2onr6', '_title_1x2y3_1', 'Title__aB3xY', 'Button_root__xkqpz', 'makeStyles-root-1'],
  ...[':r1:', 'radix-:r1:', '«r3»', 'headlessui-menu-button-3', 'react-aria-1', 'ember4', 'row_4711', 'issue-4711'],
  ...['a3f9c2d1', 'data-v-a1b2c3d4', '5f4dcc3b5aa765d61d8327deb882cf99'],
])('%s is another one tomorrow', (name) => {
  expect(isGeneratedName(name)).toBe(true);
});

it.each([
  ...['content', 'main-menu', 'issueList', 'block__title', 'col-md-6', 'mt-4', 'h2', 'step1', 'tab-2', 'btn-primary'],
  ...['autoscroll', 'mw-content-text', 'firstHeading', 'vector-toc', 'p-cactions', 'html5', 'is-active', 'userName'],
  ...['top-menu', 'quick-search', 'wiki', 'mw-parser-output', 'navbar', 'XMLView', '__next', 'app_root'],
])('%s lasts', (name) => {
  expect(isGeneratedName(name)).toBe(false);
});
