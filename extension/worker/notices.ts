import type { Notice } from './popup-messages.ts';

const MAX_NOTICES = 5;

/** What the server wants the person to know, shown in the popup until they have seen it. */
export function createNotices(onChange: () => void) {
  let list: Notice[] = [];
  return {
    add: (notice: Notice): void => {
      list = [notice, ...list].slice(0, MAX_NOTICES);
      onChange();
    },
    clear: (): void => {
      list = [];
      onChange();
    },
    list: (): readonly Notice[] => list,
  };
}
