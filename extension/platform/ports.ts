import type { Runtime } from 'webextension-polyfill';
import { browser, extensionId } from './browser.ts';

/** A line between the worker and one of our pages. */
export interface Line<Out, In> {
  send: (message: Out) => void;
  onMessage: (callback: (message: In) => void) => void;
  onClosed: (callback: () => void) => void;
  close: () => void;
}

function toLine<Out, In>(port: Runtime.Port): Line<Out, In> {
  return {
    send(message) {
      try {
        port.postMessage(message);
      } catch {
        // The page is just being closed; its own `onClosed` tells.
        port.disconnect();
      }
    },
    // Only our own pages can open a line, so messages have the type both sides agreed on.
    onMessage: (callback) => port.onMessage.addListener((message) => callback(message as In)),
    onClosed: (callback) => port.onDisconnect.addListener(() => callback()),
    close: () => port.disconnect(),
  };
}

/** From a page to the worker. Opening it wakes the worker. */
export function openLine<Out, In>(name: string): Line<Out, In> {
  return toLine(browser.runtime.connect({ name }));
}

/** In the worker: takes lines of a given name, and only from our own pages. */
export function onLine<Out, In>(name: string, callback: (line: Line<Out, In>, query: URLSearchParams) => void): void {
  browser.runtime.onConnect.addListener((port) => {
    const url = port.sender?.url ?? '';
    const isOurs = port.sender?.id === extensionId && url.startsWith(browser.runtime.getURL(''));
    if (!isOurs || port.name !== name) return;
    callback(toLine(port), new URL(url).searchParams);
  });
}
