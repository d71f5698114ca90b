import type { RankedSelector } from './rank-selectors.ts';

/** A longer address of a frame is cut; what is left still tells which frame it is. */
export const MAX_ADDRESS = 2000;

/** What the panel learns of an element. Every text is the page's, cut, and only ever shown as text. */
export interface Picked {
  readonly tag: string;
  /** Empty where it has none. */
  readonly role: string;
  readonly name: string;
  readonly text: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Only `forge.queryDeep` finds it. */
  readonly isInShadow: boolean;
  /** The address of the frame it is in; null in the page itself. */
  readonly frameUrl: string | null;
  readonly selectors: readonly RankedSelector[];
}

/** How picking ended: with an element, because the person stopped it, or because the page did. */
export type PickEnd = { kind: 'picked'; picked: Picked } | { kind: 'stopped' } | { kind: 'lost' };

/** What the picker leaves for us in its own world in the page, where the page cannot see it. */
export interface PagePicker {
  pick: () => Promise<PickEnd>;
  /** To the parent of what is highlighted, or back to the child. */
  step: (to: 'parent' | 'child') => void;
  /** Shows what a selector finds, for a moment. */
  mark: (selector: string) => void;
  stop: () => void;
}

/** Where it is found there. */
export interface PickerHolder {
  forgePagePicker?: PagePicker | undefined;
}
