import { nextIndex } from './next-index.ts';

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

/**
 * Arrow keys, Home and End move the focus among the elements marked `data-item` that are shown; use as `{@attach arrowKeys}` on their list.
 * In a grid up and down move by rows.
 */
export function arrowKeys(list: HTMLElement): () => void {
  return moveIn(list, () => null);
}

/** The same for a list that a field above it searches: up from the first row leads back to the field. */
export function searchedKeys(list: HTMLElement): () => void {
  return moveIn(list, () => list.closest('main')?.querySelector<HTMLElement>('[data-search]') ?? null);
}

function moveIn(list: HTMLElement, above: () => HTMLElement | null): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || event.altKey || event.ctrlKey || event.metaKey) return;
    const items = shownItems(list);
    const here = items.findIndex((item) => item.contains(document.activeElement));
    const next = nextIndex(event.key, here, items.length, columnsOf(items));
    if (next === null) return;
    event.preventDefault();
    const isAtTop = event.key === 'ArrowUp' && next === here;
    const target = (isAtTop ? above() : null) ?? items[next];
    target?.focus();
  };
  list.addEventListener('keydown', onKeyDown);
  return () => list.removeEventListener('keydown', onKeyDown);
}

/** Goes from a search field to the first element of the list below it; false when there is none. */
export function enterList(field: HTMLElement): boolean {
  const isBelow = (item: HTMLElement): boolean =>
    (field.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const first = shownItems(field.closest('main') ?? document.body).find(isBelow);
  first?.focus();
  return first !== undefined;
}

function shownItems(within: HTMLElement): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>('[data-item]')].filter((item) => item.checkVisibility());
}

/** How many stand beside each other in the first row. */
function columnsOf(items: readonly HTMLElement[]): number {
  const tops = items.map((item) => (item.closest('li') ?? item).getBoundingClientRect().top);
  const below = tops.findIndex((top) => Math.abs(top - (tops[0] ?? 0)) > 1);
  return Math.max(1, below === -1 ? items.length : below);
}
