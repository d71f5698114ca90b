import { describe, expect, it } from 'vitest';
import type { LinkState } from '../bridge/link-state.ts';
import { linkWords } from './link-words.ts';

const CASES: [LinkState, mark: string, words: string, action: string | null][] = [
  [{ kind: 'ready', name: 'Work', serverVersion: '1', ownPorts: [] }, 'ready', 'as “Work”', null],
  [{ kind: 'pairing', code: '1', expiresAt: 0 }, 'needs', 'same code', null],
  [{ kind: 'connecting', failures: 0 }, 'off', 'Looking for Forge at 127.0.0.1:8403', null],
  [{ kind: 'connecting', failures: 3 }, 'broken', 'npm start', 'Try now'],
  [{ kind: 'off', reason: 'refused' }, 'off', 'does not know', 'Connect'],
  [{ kind: 'off', reason: 'expired' }, 'needs', 'in time', 'Connect'],
  [{ kind: 'off', reason: 'replaced' }, 'broken', 'copy of this profile', 'Connect here instead'],
  [{ kind: 'off', reason: 'outdated' }, 'broken', 'Update', 'Connect'],
];

describe('the connection in words', () => {
  it.each(CASES)('%j', (link, mark, words, action) => {
    const told = linkWords(link, '127.0.0.1:8403');
    expect(told).toMatchObject({ mark, action });
    expect(told.text).toContain(words);
  });
});
