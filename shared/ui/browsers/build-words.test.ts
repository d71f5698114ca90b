import { expect, it } from 'vitest';
import { buildWords } from './build-words.ts';

const status = (state: 'unknown' | 'installing' | 'building' | 'ready' | 'failed', message: string | null = null) => ({
  state,
  folder: null,
  message,
});

it.each([
  [null, 'npm run build:extension', false],
  [status('unknown'), 'npm run build:extension', false],
  [status('installing'), 'installing', true],
  [status('building'), 'building', true],
  [status('ready'), 'is built', false],
  [status('failed', 'could not be built: no network. Run it.'), 'The extension could not be built: no network.', false],
])('says how far the extension is: %j', (extension, text, isUnderWay) => {
  expect(buildWords(extension)).toEqual({ text: expect.stringContaining(text), isUnderWay });
});
