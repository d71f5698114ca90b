import type { Clock } from './clock.ts';
import type { Badge } from './platform/badge.ts';

const EMBER = '#d9622b';
const AMBER = '#8a5a00';
const GREY = '#66635d';
/** Shorter calls leave the button alone: telling the browser costs more than they do. */
const SHOW_AFTER_MS = 250;

interface ActivityDeps {
  clock: Clock;
  show: (badge: Badge) => void;
  onChange: () => void;
}

export type Activity = ReturnType<typeof createActivity>;

/** What the toolbar button says: which tool is at work, that everything is paused, or that something needs the person. */
export function createActivity({ clock, show, onChange }: ActivityDeps) {
  const running = new Map<string, string>();
  let isPaused = false;
  let needs: string | null = null;
  let waiting = 0;
  /** The button outlives the worker and may still show what the one before was doing. */
  let shown: string | null = null;
  let cancelTimer: (() => void) | null = null;

  const badge = (): Badge => {
    const [title] = running.values();
    if (isPaused) return { text: 'II', title: 'Forge is paused', color: GREY };
    // A call that waits for the person in this browser is also one that runs here.
    if (waiting > 0) {
      const words = waiting === 1 ? '1 call waits for you' : `${waiting} calls wait for you`;
      return { text: waiting > 99 ? '99+' : String(waiting), title: `Forge: ${words}`, color: AMBER };
    }
    if (title !== undefined) {
      const more = running.size > 1 ? ` and ${running.size - 1} more` : '';
      return { text: String(running.size), title: `Forge is at work: ${title}${more}`, color: EMBER };
    }
    return needs === null
      ? { text: '', title: 'Forge', color: GREY }
      : { text: '!', title: `Forge: ${needs}`, color: AMBER };
  };
  const refresh = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    const next = badge();
    const now = `${next.text}\n${next.title}`;
    if (now === shown) return;
    shown = now;
    show(next);
    onChange();
  };

  return {
    begin(callId: string, title: string): void {
      running.set(callId, title);
      cancelTimer ??= clock.after(SHOW_AFTER_MS, refresh);
    },
    end(callId: string): void {
      running.delete(callId);
      if (running.size === 0) refresh();
    },
    setPaused(paused: boolean): void {
      isPaused = paused;
      refresh();
    },
    /** Something only the person can do; null when it is done. */
    setNeeds(what: string | null): void {
      needs = what;
      refresh();
    },
    /** How many calls wait for the person, wherever they answer. */
    setWaiting: (count: number): void => {
      waiting = count;
      refresh();
    },
    titles: (): string[] => [...running.values()],
  };
}
