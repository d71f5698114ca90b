import { createContext } from 'svelte';
import type { ApprovalList } from '../approvals-api.ts';
import type { Api } from './api.ts';
import { followEvents, soon } from './follow-events.ts';

/** What waits for the person, wherever they are on the page. */
export interface Waiting {
  readonly count: number;
  /** Whether a conversation waits for them. */
  has(sessionId: string): boolean;
}

export const [getWaiting, setWaiting] = createContext<Waiting>();

const LOCK = 'forge-waiting';
const MOST = 200;

/**
 * Follows the questions that wait. A page in sight listens itself; of those out of sight one listens for all, since a browser has few
 * connections to one server.
 */
export function createWaiting(api: Api): Waiting {
  let count = $state(0);
  let sessions = $state.raw<ReadonlySet<string>>(new Set());
  $effect(() => {
    const end = new AbortController();
    const channel = new BroadcastChannel(LOCK);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const take = (found: ApprovalList): void => {
      count = found.waiting;
      sessions = new Set(found.approvals.flatMap(({ session_id: id }) => (id === null ? [] : [id])));
      clearTimeout(timer);
      const [first] = found.approvals;
      // A question is over without an event once its time is up.
      if (first !== undefined) timer = setTimeout(look.ask, Math.max(1000, Date.parse(first.expires_at) - Date.now()));
    };
    const look = soon(() => {
      api.get<ApprovalList>(`/api/approvals?order=oldest&limit=${MOST}`, { signal: end.signal }).then(
        (found) => {
          take(found);
          channel.postMessage(found);
        },
        // The views say that Forge is away, or that this browser may not ask.
        () => undefined,
      );
    });
    channel.onmessage = ({ data }) => take(data as ApprovalList); // sent by the line above, in another page of Forge
    const stop = whereSeen(end.signal, () =>
      followEvents(api, {
        onEvent: ({ type }) => {
          if (type === 'approval.changed') look.ask();
        },
        onGap: look.ask,
      }),
    );
    return () => {
      stop();
      end.abort(new DOMException('no longer wanted', 'AbortError'));
      look.stop();
      clearTimeout(timer);
      channel.close();
    };
  });
  return {
    get count() {
      return count;
    },
    has: (id) => sessions.has(id),
  };
}

/** Keeps something going in every page that is in sight, and in one of those that are not. */
function whereSeen(end: AbortSignal, start: () => () => void): () => void {
  let stop: (() => void) | null = null;
  let release: (() => void) | null = null;
  const begin = (): void => {
    stop ??= start();
  };
  const halt = (): void => {
    stop?.();
    stop = null;
    release?.();
    release = null;
  };
  const look = (): void => {
    if (document.visibilityState === 'visible') {
      begin();
      return;
    }
    halt();
    void navigator.locks
      .request(LOCK, { signal: end }, () => {
        if (end.aborted || document.visibilityState === 'visible') return;
        begin();
        return new Promise<void>((resolve) => (release = resolve));
      })
      .catch(() => undefined); // aborted with the page
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    halt();
  };
}
