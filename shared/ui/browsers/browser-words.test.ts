import { expect, it } from 'vitest';
import { browserState } from './browser-state.ts';
import { kindWords, scriptsPlace } from './browser-words.ts';

it('K-55 tells browsers apart by what is known of them', () => {
  expect(kindWords({ browser: 'Chrome 138', profile: 'Work', platform: 'Linux' })).toBe('Chrome 138, Work, Linux');
  expect(kindWords({ browser: 'Firefox 153', profile: '', platform: 'macOS' })).toBe('Firefox 153, macOS');
});

const ID = 'abcdefghijklmnopabcdefghijklmnop';

it.each([
  ['Chrome 138', `chrome-extension://${ID}`, `chrome://extensions/?id=${ID}`],
  ['Chromium 140', 'chrome-extension://<b>', 'chrome://extensions'],
  ['Firefox 153', 'moz-extension://x', 'about:addons'],
])('K-20 the switch of %s at %s is at %s', (browser, origin, address) =>
  expect(scriptsPlace({ browser, origin }).address).toBe(address),
);

it.each([
  [{ connected: true, paused: false, user_scripts: true }, 'ready Connected'],
  [{ connected: true, paused: false, user_scripts: false }, 'needs Needs you'],
  [{ connected: true, paused: true, user_scripts: true }, 'needs Paused'],
  [{ connected: false, paused: true, user_scripts: false }, 'off Not connected'],
])('%j is %s', (browser, words) => {
  const { state, label } = browserState(browser);
  expect(`${state} ${label}`).toBe(words);
});
