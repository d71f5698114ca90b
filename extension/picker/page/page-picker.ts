import type { PagePicker, PickerHolder } from '../picked.ts';
import { startMarking } from './mark.ts';
import { startPicking, type Picking } from './pick.ts';

/** Puts the picker into our own world in a page, in the place of an earlier one, which ends. */
export function leavePagePicker(): void {
  const holder = globalThis as PickerHolder;
  // An element of the page with that id would be found there as well.
  if (Object.hasOwn(holder, 'forgePagePicker')) holder.forgePagePicker?.stop();
  holder.forgePagePicker = createPagePicker();
}

function createPagePicker(): PagePicker {
  let picking: Picking | null = null;
  let unmark = (): void => undefined;
  const stop = (): void => {
    picking?.stop();
    picking = null;
    unmark();
  };
  return {
    async pick() {
      stop();
      picking = startPicking();
      return picking.end;
    },
    step: (to) => picking?.step(to),
    mark(selector) {
      stop();
      unmark = startMarking(selector);
    },
    stop,
  };
}
