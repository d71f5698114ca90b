import { browser } from './browser.ts';

export interface Badge {
  text: string;
  title: string;
  color: string;
}

/** What the toolbar button shows. Nobody waits for it. */
export function showBadge({ text, title, color }: Badge): void {
  void browser.action.setBadgeText({ text });
  void browser.action.setTitle({ title });
  if (text !== '') void browser.action.setBadgeBackgroundColor({ color });
}
