import { expect, it } from 'vitest';
import { namesCommand } from './command-name.js';

it.each([
  ['Run `forge doctor`.', true],
  ['Approve it with: forge approvals approve apr_1', true],
  ['Let Forge start it', false],
  ['/usr/bin/forge start', false],
  ['forge call log: chain', false],
  ['forge-tools', false],
])('%s: %s', (text, isNamed) => {
  expect(namesCommand(text)).toBe(isNamed);
});
