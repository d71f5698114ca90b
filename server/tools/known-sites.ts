import type { Database } from '../store/sqlite.ts';
import type { KnownSites } from './sites-read.ts';

interface KnownSitesDeps {
  db: Database;
  now?: () => number;
  maxHeld?: number;
}

/** A conversation whose sites are remembered over restarts. */
export interface Conversation {
  /** What it is called; the same words are the same conversation. */
  id: string;
  /** Whose it is; null for one that nobody goes on with under another name. */
  client: string | null;
  /** It ends by itself when nothing was called for this long. */
  idleMs?: number;
}

interface Held {
  sites: Map<string, number>;
  usedAt: number;
}

const HOUR_MS = 60 * 60_000;
const KEEP_MS = 90 * 24 * HOUR_MS;
/** A time is written again only when it is this old: a site that is read often costs one row, once. */
const FRESH_MS = 10 * 60_000;

export type KnownSitesStore = ReturnType<typeof createKnownSites>;

/** Which sites' content each conversation has read, in the database: a restart of Forge takes nothing back from a model. */
export function createKnownSites({ db, now = Date.now, maxHeld = 10_000 }: KnownSitesDeps) {
  const begunAt = now();
  const rowsOf = db.prepare('SELECT site, at FROM sites_read WHERE conversation = ?');
  const leftBy = db.prepare('SELECT DISTINCT site FROM sites_read WHERE client = ? AND at >= ? AND at < ?');
  const insert = db.prepare(
    `INSERT INTO sites_read (conversation, client, site, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (conversation, site) DO UPDATE SET at = excluded.at`,
  );
  const remove = db.prepare('DELETE FROM sites_read WHERE conversation = ?');
  db.prepare('DELETE FROM sites_read WHERE at < ?').run(begunAt - KEEP_MS);
  // In the order in which they were last used; what is dropped from here is still in the database.
  const held = new Map<string, Held>();

  const load = (id: string): Held => {
    const sites = new Map(rowsOf.all(id).map((row) => [String(row['site']), Number(row['at'])]));
    return { sites, usedAt: sites.size === 0 ? now() : Math.max(...sites.values()) };
  };
  const find = ({ id, idleMs = Infinity }: Conversation): Held => {
    const found = held.get(id) ?? load(id);
    if (now() - found.usedAt > idleMs) {
      found.sites.clear();
      remove.run(id);
    }
    found.usedAt = now();
    held.delete(id);
    held.set(id, found);
    for (const [oldest] of held) {
      if (held.size <= maxHeld) break;
      held.delete(oldest);
    }
    return found;
  };
  const put = ({ id, client }: Conversation, { sites }: Held, site: string): void => {
    const at = now();
    if (at - (sites.get(site) ?? -Infinity) < FRESH_MS) return;
    sites.set(site, at);
    insert.run(id, client, site, at);
  };

  return {
    /** Looks at the conversation anew each time, so it may be held for as long as one likes. */
    of: (conversation: Conversation): KnownSites => ({
      all: () => find(conversation).sites.keys(),
      add: (site) => put(conversation, find(conversation), site),
    }),
    /** A conversation that begins under a new name because Forge was started again: what its client had read counts for an hour. */
    begin(conversation: Conversation): void {
      if (conversation.client === null) return;
      const rows = leftBy.all(conversation.client, now() - HOUR_MS, begunAt);
      const found = rows.length === 0 ? null : find(conversation);
      if (found !== null) for (const row of rows) put(conversation, found, String(row['site']));
    },
    /** It is over: whatever its client does next is something else. */
    end(id: string): void {
      held.delete(id);
      remove.run(id);
    },
  };
}
