import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.ts';

it('C-22 a secret prints as [secret] everywhere but where it is revealed', () => {
  const secret = new Secret('canary');
  expect(
    [
      String(secret),
      secret as unknown as string,
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: [secret] }),
    ].join(' '),
  ).not.toContain('canary');
  expect(Object.keys(secret)).toEqual([]);
  expect(secret.reveal()).toBe('canary');
});
