/** A call's place in a tab. */
export interface Place {
  leave: () => void;
  /** False after it was left, and while it waits to be alone. */
  isInside: () => boolean;
  /** Waits until nobody else is in the tab, keeping the place in the order. For a call that turns out to need the tab for itself. */
  becomeAlone: (signal: AbortSignal) => Promise<void>;
}

interface Waiting {
  readonly ticket: number;
  readonly isAlone: boolean;
  start: () => void;
}

interface Lane {
  inside: number;
  isAlone: boolean;
  queue: Waiting[];
}

/**
 * One call at a time in each tab, in order of arrival (W-21). Calls that share are those whose script runs in one go: the page's own
 * thread then keeps them apart and in order, and the browser need not be waited for between two of them.
 */
export function createLanes() {
  const lanes = new Map<number, Lane>();
  let nextTicket = 0;

  const letIn = (tabId: number, lane: Lane): void => {
    for (;;) {
      const next = lane.queue[0];
      if (next === undefined) break;
      if (lane.inside > 0 && (lane.isAlone || next.isAlone)) return;
      lane.queue.shift();
      lane.inside += 1;
      lane.isAlone = next.isAlone;
      next.start();
    }
    if (lane.inside === 0) lanes.delete(tabId);
  };
  const wait = (tabId: number, lane: Lane, ticket: number, isAlone: boolean, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        lane.queue.splice(lane.queue.indexOf(entry), 1);
        letIn(tabId, lane);
        reject(signal.reason as Error); // whoever aborts gives one of our errors
      };
      const start = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const entry: Waiting = { ticket, isAlone, start };
      signal.addEventListener('abort', giveUp, { once: true });
      const behind = lane.queue.findIndex((other) => other.ticket > ticket);
      lane.queue.splice(behind === -1 ? lane.queue.length : behind, 0, entry);
      letIn(tabId, lane);
      // Of a signal that has been given before nothing is heard any more.
      if (signal.aborted && lane.queue.includes(entry)) giveUp();
    });

  return {
    /** Waits for the tab's turn. Giving up while waiting costs the others nothing. */
    async enter(tabId: number, isAlone: boolean, signal: AbortSignal): Promise<Place> {
      signal.throwIfAborted();
      const lane = lanes.get(tabId) ?? { inside: 0, isAlone: false, queue: [] };
      lanes.set(tabId, lane);
      const ticket = nextTicket++;
      await wait(tabId, lane, ticket, isAlone, signal);
      let isInside = true;
      const leave = (): void => {
        if (!isInside) return;
        isInside = false;
        lane.inside -= 1;
        letIn(tabId, lane);
      };
      return {
        leave,
        isInside: () => isInside,
        async becomeAlone(until) {
          isInside = false;
          lane.inside -= 1;
          await wait(tabId, lane, ticket, true, until);
          isInside = true;
        },
      };
    },
    isBusy: (tabId: number): boolean => lanes.has(tabId),
  };
}

export type Lanes = ReturnType<typeof createLanes>;
