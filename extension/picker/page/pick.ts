import { isStillLoaded } from '../../platform/still-loaded.ts';
import type { PickEnd } from '../picked.ts';
import { describe } from './describe.ts';
import { attribute, childrenOf, isConnected, parentElementOf, tagOf } from './dom.ts';
import { openOverlay, type Overlay } from './overlay.ts';
import { elementAt, placeOf } from './place.ts';
import { scrollUnder } from './scroll-under.ts';

export interface Picking {
  readonly end: Promise<PickEnd>;
  step: (to: 'parent' | 'child') => void;
  stop: () => void;
}

/** What a pointer does to a page, none of which the page is to hear of. */
const POINTER = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'dblclick', 'auxclick', 'contextmenu'];
const TOUCH = ['touchstart', 'touchmove', 'touchend', 'dragstart', 'selectstart'];
/** The second half of a double click must not reach the page either. */
const DOUBLE_CLICK_MS = 300;

/** Lets the person point at an element. Whatever ends it, nothing of it stays in the page. */
export function startPicking(): Picking {
  const overlay = openOverlay(true);
  const listening = new AbortController();
  const choice = createChoice();
  let settle: (end: PickEnd) => void = () => undefined;
  const end = new Promise<PickEnd>((resolve) => (settle = resolve));
  const clear = (): void => {
    listening.abort();
    overlay.remove();
  };
  const finish = (how: PickEnd): void => {
    settle(how);
    clear();
  };
  const choose = (): void => {
    const element = choice.current();
    if (element === null) return;
    choice.look(null);
    try {
      settle({ kind: 'picked', picked: describe(element) });
    } finally {
      // A page that makes this fail has lost the picker.
      settle({ kind: 'lost' });
      setTimeout(clear, DOUBLE_CLICK_MS);
    }
  };
  const stop = (): void => finish({ kind: 'stopped' });
  const on = createListeners(listening.signal);
  const lookAt = (event: MouseEvent): Element | null => elementAt({ x: event.clientX, y: event.clientY }, overlay.host);

  for (const name of [...POINTER, ...TOUCH]) on(name, () => undefined);
  on('pointermove', (event) => choice.look(lookAt(event as PointerEvent))); // the event of that name
  on('click', (event) => {
    choice.look(choice.current() ?? lookAt(event as MouseEvent)); // as above
    choose();
  });
  const scroll = (event: Event): void => {
    const wheel = event as WheelEvent; // as above
    scrollUnder(lookAt(wheel), wheel);
    choice.look(lookAt(wheel));
  };
  // With Ctrl it zooms, which is none of ours.
  on('wheel', scroll, (event) => !(event as WheelEvent).ctrlKey); // as above
  onKeys(on, {
    Escape: stop,
    Enter: choose,
    ArrowUp: () => choice.step('parent'),
    ArrowDown: () => choice.step('child'),
  });
  window.addEventListener('pagehide', () => finish({ kind: 'lost' }), { signal: listening.signal });
  follow(overlay, choice, listening.signal, finish);
  return { end, step: choice.step, stop };
}

type Listen = (name: string, handle: (event: Event) => void, isOurs?: (event: Event) => boolean) => void;

/**
 * Listens before everything in the page but what its scripts put on `window` earlier, for capturing: that runs first, and nobody can be put
 * before it. No other listener hears of what is taken here. Events that scripts make up do not count.
 */
function createListeners(signal: AbortSignal): Listen {
  return (name, handle, isOurs = () => true) => {
    const take = (event: Event): void => {
      if (!event.isTrusted || !isOurs(event)) return;
      event.stopImmediatePropagation();
      if (event.cancelable) event.preventDefault();
      handle(event);
    };
    window.addEventListener(name, take, { capture: true, passive: false, signal });
  };
}

function onKeys(on: Listen, keys: Readonly<Partial<Record<string, () => void>>>): void {
  const actionOf = (event: Event) => keys[(event as KeyboardEvent).key]; // it listens to keys only
  const isOurs = (event: Event): boolean => actionOf(event) !== undefined;
  on('keydown', (event) => actionOf(event)?.(), isOurs);
  on('keyup', () => undefined, isOurs);
}

interface Choice {
  /** Null while nothing that is on the page is highlighted. */
  current: () => Element | null;
  look: (next: Element | null) => void;
  step: (to: 'parent' | 'child') => void;
}

/** The highlighted element, and the way back down from its parents. */
function createChoice(): Choice {
  let element: Element | null = null;
  let below: Element[] = [];
  return {
    current: (): Element | null => (element !== null && isConnected(element) ? element : null),
    look(next: Element | null): void {
      element = next;
      below = [];
    },
    step(to: 'parent' | 'child'): void {
      if (element === null) return;
      const next = to === 'parent' ? parentElementOf(element) : (below.at(-1) ?? childrenOf(element)[0] ?? null);
      if (next === null) return;
      below = to === 'parent' ? [...below, element] : below.slice(0, -1);
      element = next;
    },
  };
}

/** Keeps the highlight on the element, also while the page scrolls or moves it. */
function follow(overlay: Overlay, choice: Choice, signal: AbortSignal, finish: (how: PickEnd) => void): void {
  let drawn = '';
  const draw = (): void => {
    if (signal.aborted) return;
    if (!overlay.isThere() || !isStillLoaded()) {
      finish({ kind: 'lost' });
      return;
    }
    const element = choice.current();
    const places = element === null ? [] : [placeOf(element)];
    const label = element === null ? '' : labelOf(element);
    // Most pages stand still most of the time.
    const now = JSON.stringify([places, label]);
    if (now !== drawn) overlay.draw(places, label);
    drawn = now;
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
}

function labelOf(element: Element): string {
  const id = attribute(element, 'id') ?? '';
  const { width, height } = placeOf(element);
  const mark = id === '' ? '' : `#${id}`;
  return `${(tagOf(element) + mark).slice(0, 60)}  ${Math.round(width)} × ${Math.round(height)}`;
}
