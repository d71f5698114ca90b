/** A paired browser as a mark and a word. */
export function browserState(browser: { connected: boolean; paused: boolean; user_scripts: boolean }): {
  state: 'ready' | 'needs' | 'off';
  label: string;
} {
  if (!browser.connected) return { state: 'off', label: 'Not connected' };
  if (browser.paused) return { state: 'needs', label: 'Paused' };
  return browser.user_scripts ? { state: 'ready', label: 'Connected' } : { state: 'needs', label: 'Needs you' };
}
