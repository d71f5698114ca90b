import { expect, it } from 'vitest';
import type { Tool } from '../../shared/manifest/connector.ts';
import { callTitle, moreAbout } from './call-title.ts';

it.each([
  ['Add a note to an order. It asks you first.', 'Add a note to an order on a.test', 'It asks you first.'],
  ['Delete a build, e.g. an old one.', 'Delete a build, e.g. an old one on a.test', ''],
  ['Update to v2.1 of it', 'Update to v2.1 of it on a.test', ''],
  ['Write\n  two lines.\nThen more.', 'Write two lines on a.test', 'Then more.'],
  ['', 'Shop: sell on a.test', ''],
])('K-10 %j is asked about as %j', (description, title, rest) => {
  const tool = { name: 'sell', description } as Tool; // the parts that a title shows
  expect([callTitle({ name: 'Shop' }, tool, 'a.test'), moreAbout(tool)]).toEqual([title, rest]);
});

it('K-10 a program runs on this computer, and a description without an end is cut', () => {
  const tool = { name: 'sell', description: 'x'.repeat(500) } as Tool; // as above
  expect(callTitle({ name: 'Shop' }, tool, null)).toBe(`${'x'.repeat(200)}… on this computer`);
  expect(moreAbout(tool)).toBe('x'.repeat(500));
});
