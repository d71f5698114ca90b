import { browser, pageUrl } from './browser.ts';

/** Shows a notification of the system's own. Nobody waits for it; one of the same id takes the place of the last. */
export function showNotification({ id, title, message }: { id: string; title: string; message: string }): void {
  void browser.notifications.create(id, { type: 'basic', iconUrl: pageUrl('icon/128.png'), title, message });
}

export function hideNotification(id: string): void {
  void browser.notifications.clear(id);
}

export function onNotificationClicked(callback: (id: string) => void): void {
  browser.notifications.onClicked.addListener(callback);
}
