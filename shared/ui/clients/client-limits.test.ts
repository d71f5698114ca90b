import { expect, it } from 'vitest';
import { limitWords } from './client-limits.ts';

it.each([
  [{ connectors: null, read_only: false }, 'All connectors'],
  [{ connectors: null, read_only: true }, 'All connectors, read only'],
  [{ connectors: ['jira', 'git'], read_only: true }, 'Only jira, git, read only'],
  [{ connectors: [], read_only: false }, 'No connector'],
])('%j is told as %s', (limits, words) => expect(limitWords(limits)).toBe(words));
