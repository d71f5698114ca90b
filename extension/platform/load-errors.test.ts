import { describe, expect, it } from 'vitest';
import { loadErrorName } from './load-errors.ts';

describe('why a page did not load', () => {
  it.each([
    ['Error code 2152398850', 'net::ERR_ABORTED'],
    ['Error code 2152398861', 'net::ERR_CONNECTION_REFUSED'],
    ['Error code 2152398878', 'net::ERR_NAME_NOT_RESOLVED'],
    ['Error code 1', 'Error code 1'],
    ['net::ERR_ABORTED', 'net::ERR_ABORTED'],
    ['', ''],
  ])('%j is called %j', (said, name) => {
    expect(loadErrorName(said)).toBe(name);
  });
});
