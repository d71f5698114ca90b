import type { PickEnd, PickerHolder } from './picked.ts';

// Each runs in the page, in our own world there, so it uses nothing from outside but what the picker has left.

export function pagePick(): Promise<PickEnd> {
  const { forgePagePicker } = globalThis as PickerHolder;
  return forgePagePicker?.pick() ?? Promise.resolve({ kind: 'lost' });
}

export function pageStep(to: 'parent' | 'child'): void {
  (globalThis as PickerHolder).forgePagePicker?.step(to);
}

export function pageMark(selector: string): void {
  (globalThis as PickerHolder).forgePagePicker?.mark(selector);
}

export function pageStop(): void {
  const holder = globalThis as PickerHolder;
  // Where no picker was put, an element of the page with that id would be found.
  if (Object.hasOwn(holder, 'forgePagePicker')) holder.forgePagePicker?.stop();
}
