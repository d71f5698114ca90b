import { expect, it } from 'vitest';
import { answerFor } from './answer-for.ts';

it.each([
  ['yes', 'Do you want to continue? (y/n)', 'y\n'],
  ['yes', 'Continue? (y/N) ', 'y\n'],
  ['no', 'Continue? [Y/n]', 'n\n'],
  ['yes', 'Continue connecting (yes/no)? ', 'yes\n'],
  ['y', 'Continue connecting (yes/no)? ', 'yes\n'],
  ['yes', '(y/n) was asked before. Really (yes/no)?', 'yes\n'],
  ['YES', 'Type YES to go on: ', 'YES\n'],
  ['a', 'Press "a" to accept (y/n)', 'a\n'],
  ['', 'Press Enter', '\n'],
  [' ', '--More--', ' '],
])('W-11 %j to %j', (send, question, expected) => {
  expect(answerFor(send, question)).toBe(expected);
});
