import type { ForgeEvent } from '../../shared/events.ts';
import type { Database } from '../store/sqlite.ts';

/** An event as listeners get it; `id` is null for one that is not kept. */
export interface HeardEvent {
  id: number | null;
  at: string;
  event: ForgeEvent;
}

type Listener = (heard: HeardEvent) => void;

export interface EventBus {
  /** Keeps an event, inside the transaction of the change it tells of; `deliver` hands it out once that is committed. */
  append(event: ForgeEvent): void;
  deliver(): void;
  /** Tells an event to those who listen now, and keeps nothing of it: for what is frequent and can be read again elsewhere. */
  publish(event: ForgeEvent): void;
  listen(listener: Listener): () => void;
  /** What was kept since an id, or null when some of it is gone. */
  since(id: number): HeardEvent[] | null;
}

interface EventBusDeps {
  db: Database;
  now?: () => number;
  /** How many are kept for those who come back. */
  keep?: number;
}

/** Every call is told of, and of most nobody wants to know when. */
class PassingEvent implements HeardEvent {
  readonly id = null;
  readonly event: ForgeEvent;
  readonly #time: number;

  constructor(event: ForgeEvent, time: number) {
    this.event = event;
    this.#time = time;
  }

  get at(): string {
    return new Date(this.#time).toISOString();
  }
}

const KEEP = 10_000;
const TIDY_EVERY = 500;

/** The one bus. Kept events are rows, so their ids go on after a restart and nobody who comes back misses one. */
export function createEventBus({ db, now = Date.now, keep = KEEP }: EventBusDeps): EventBus {
  const insert = db.prepare('INSERT INTO events (at, event) VALUES (?, ?)');
  const after = db.prepare('SELECT id, at, event FROM events WHERE id > ? ORDER BY id');
  const bounds = db.prepare(`SELECT (SELECT min(id) FROM events) AS oldest,
    (SELECT seq FROM sqlite_sequence WHERE name = 'events') AS newest`);
  const tidy = db.prepare('DELETE FROM events WHERE id <= ?');
  const listeners = new Set<Listener>();
  let handedOut = Number(bounds.get()?.['newest'] ?? 0);
  const stamp = () => new Date(now()).toISOString();
  const tell = (heard: HeardEvent): void => {
    for (const listener of [...listeners]) listener(heard);
  };
  const read = (from: number): HeardEvent[] =>
    after.all(from).map((row) => ({
      id: Number(row['id']),
      at: String(row['at']),
      event: JSON.parse(String(row['event'])) as ForgeEvent, // written by `append` alone
    }));

  return {
    append(event) {
      const id = Number(insert.run(stamp(), JSON.stringify(event)).lastInsertRowid);
      if (id % TIDY_EVERY === 0) tidy.run(id - keep);
    },
    deliver() {
      for (const heard of read(handedOut)) {
        handedOut = heard.id ?? handedOut;
        tell(heard);
      }
    },
    publish(event) {
      if (listeners.size > 0) tell(new PassingEvent(event, now()));
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since(id) {
      const { oldest, newest } = bounds.get() ?? {};
      const isKnown = id <= Number(newest ?? 0) && id >= Number(oldest ?? newest ?? 0) - 1;
      return isKnown ? read(id) : null;
    },
  };
}
