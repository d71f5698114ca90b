/** True while keys belong to a text: then letters are letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'file', 'range'].includes(target.type);
}

/** True for ⌘K on a Mac and Ctrl-K everywhere else. */
export function isPaletteKey(event: KeyboardEvent): boolean {
  return event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
}

export const PALETTE_KEY = /mac/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** Arrow keys, Home and End move the focus among the elements marked `data-item` that are shown; use as `{@attach arrowKeys}` on their list. */
export function arrowKeys(list: HTMLElement): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || event.altKey || event.ctrlKey || event.metaKey) return;
    const items = [...list.querySelectorAll<HTMLElement>('[data-item]')].filter((item) => item.checkVisibility());
    const here = items.findIndex((item) => item.contains(document.activeElement));
    const next = nextIndex(event.key, here, items.length);
    if (next === null) return;
    event.preventDefault();
    items[next]?.focus();
  };
  list.addEventListener('keydown', onKeyDown);
  return () => list.removeEventListener('keydown', onKeyDown);
}

/** Where a key leads in a list; null when it is not one that moves. */
export function nextIndex(key: string, here: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return Math.min(here + 1, count - 1);
    case 'ArrowUp':
      return Math.max(here - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
