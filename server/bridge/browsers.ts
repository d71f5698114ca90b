import { randomBytes } from 'node:crypto';
import type { BrowserState, Hello } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';

/** A browser a person has accepted. Of its key only the public half is known here. */
export interface Browser extends BrowserState {
  id: string;
  name: string;
  origin: string;
  browser_id: string;
  browser: string;
  profile: string;
  platform: string;
  extension_version: string;
  created_at: string;
  last_seen_at: string;
}

/** What a browser says of itself when it connects, beside what proves it. */
export type BrowserFacts = Pick<
  Hello,
  'browser_id' | 'public_key' | 'browser' | 'profile' | 'platform' | 'extension_version' | 'user_scripts' | 'paused'
>;

interface BrowsersDeps {
  db: Database;
  now?: () => number;
  random?: (bytes: number) => Buffer;
}

const MAX_NAME = 80;
/** A time this fresh is not written anew: a browser that comes back waits for its calls, and writing waits for the disk. */
const FRESH_MS = 60_000;

export type Browsers = ReturnType<typeof createBrowsers>;

/** The paired browsers in the database. */
export function createBrowsers({ db, now = Date.now, random = randomBytes }: BrowsersDeps) {
  const byId = db.prepare('SELECT * FROM browsers WHERE id = ?');
  const byName = db.prepare('SELECT * FROM browsers WHERE name = ?');
  const byProfile = db.prepare('SELECT * FROM browsers WHERE origin = ? AND browser_id = ?');
  const byOrigin = db.prepare('SELECT 1 FROM browsers WHERE origin = ? LIMIT 1');
  const stamp = () => new Date(now()).toISOString();
  const one = (row: Row | undefined): Browser | null => (row === undefined ? null : fromRow(row));
  const get = (id: string): Browser | null => one(byId.get(id));
  const required = (id: string): Browser => {
    const found = get(id);
    if (found === null) throw new ForgeError('browser_not_found', `there is no paired browser ${shown(id)}`);
    return found;
  };
  /** Names are how people call a browser, so two never share one. */
  const freeName = (wanted: string): string => {
    let name = wanted;
    for (let number = 2; byName.get(name) !== undefined; number += 1) name = `${wanted} ${number}`;
    return name;
  };

  return {
    list: (): Browser[] => db.prepare('SELECT * FROM browsers ORDER BY created_at, rowid').all().map(fromRow),
    get,
    required,
    /** By its id or its name. */
    find: (idOrName: string): Browser | null => get(idOrName) ?? one(byName.get(idOrName)),
    /** One profile's browser and the key it was accepted with. */
    paired(origin: string, browserId: string): { browser: Browser; publicKey: string } | null {
      const row = byProfile.get(origin, browserId);
      return row === undefined ? null : { browser: fromRow(row), publicKey: String(row['public_key']) };
    },
    hasOrigin: (origin: string): boolean => byOrigin.get(origin) !== undefined,
    newId: (): string => `brw_${random(8).toString('hex')}`,

    /** Accepts a browser with its key. One that was paired before keeps its id and name, and its old key ends. */
    add(id: string, origin: string, facts: BrowserFacts): Browser {
      return transaction(db, () => {
        const earlier = one(byProfile.get(origin, facts.browser_id));
        if (earlier !== null) db.prepare('DELETE FROM browsers WHERE id = ?').run(earlier.id);
        const added: Browser = {
          id: earlier?.id ?? id,
          name: freeName(earlier?.name ?? nameOf(facts)),
          origin,
          ...plain(facts),
          created_at: earlier?.created_at ?? stamp(),
          last_seen_at: stamp(),
        };
        insert(db, added, facts.public_key);
        return added;
      });
    },

    /** What a paired browser says of itself may change from one connection to the next. */
    connected(id: string, facts: BrowserFacts): Browser {
      const known = required(id);
      if (isSame(plain(facts), known) && now() - Date.parse(known.last_seen_at) < FRESH_MS) return known;
      db.prepare(
        `UPDATE browsers SET browser = ?, profile = ?, platform = ?, extension_version = ?, user_scripts = ?, paused = ?,
           last_seen_at = ? WHERE id = ?`,
      ).run(
        ...[facts.browser, facts.profile, facts.platform, facts.extension_version],
        ...[Number(facts.user_scripts), Number(facts.paused), stamp(), id],
      );
      return required(id);
    },
    changed: (id: string, { user_scripts, paused }: BrowserState): void =>
      void db
        .prepare('UPDATE browsers SET user_scripts = ?, paused = ?, last_seen_at = ? WHERE id = ?')
        .run(Number(user_scripts), Number(paused), stamp(), id),
    seen: (id: string): void => void db.prepare('UPDATE browsers SET last_seen_at = ? WHERE id = ?').run(stamp(), id),

    rename(id: string, name: string): Browser {
      required(id);
      const wanted = cleanName(name);
      if (wanted === '') throw new ForgeError('invalid_request', 'a browser needs a name that can be read');
      const other = one(byName.get(wanted));
      if (other !== null && other.id !== id) {
        throw new ForgeError('conflict', `another browser is called ${shown(wanted)}`, { hint: 'Use another name.' });
      }
      db.prepare('UPDATE browsers SET name = ? WHERE id = ?').run(wanted, id);
      return required(id);
    },
    remove(id: string): Browser {
      const removed = required(id);
      db.prepare('DELETE FROM browsers WHERE id = ?').run(id);
      return removed;
    },
  };
}

function insert(db: Database, browser: Browser, publicKey: string): void {
  db.prepare(
    `INSERT INTO browsers (id, name, public_key, origin, browser_id, browser, profile, platform, extension_version,
       user_scripts, paused, created_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[browser.id, browser.name, publicKey, browser.origin, browser.browser_id, browser.browser, browser.profile],
    ...[browser.platform, browser.extension_version, Number(browser.user_scripts), Number(browser.paused)],
    ...[browser.created_at, browser.last_seen_at],
  );
}

/** Only the facts a person may see, whatever else the object holds. */
function plain(facts: BrowserFacts): Omit<BrowserFacts, 'public_key'> {
  const { browser_id, browser, profile, platform, extension_version, user_scripts, paused } = facts;
  return { browser_id, browser, profile, platform, extension_version, user_scripts, paused };
}

function isSame(facts: ReturnType<typeof plain>, known: Browser): boolean {
  return Object.entries(facts).every(([name, fact]) => known[name as keyof typeof facts] === fact);
}

/** Such as "Chrome on Linux (Work)". */
export function nameOf({ browser, platform, profile }: Pick<Hello, 'browser' | 'platform' | 'profile'>): string {
  const where = platform.trim() === '' ? '' : ` on ${platform.trim()}`;
  const who = /^(default)?$/i.test(profile.trim()) ? '' : ` (${profile.trim()})`;
  const name = cleanName(`${browser.trim()}${where}${who}`);
  return name === '' ? 'Browser' : name;
}

/** One line that a terminal and a page can show. */
function cleanName(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed();
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function fromRow(row: Row): Browser {
  const text = (column: string) => String(row[column]);
  return {
    id: text('id'),
    name: text('name'),
    origin: text('origin'),
    browser_id: text('browser_id'),
    browser: text('browser'),
    profile: text('profile'),
    platform: text('platform'),
    extension_version: text('extension_version'),
    user_scripts: row['user_scripts'] === 1,
    paused: row['paused'] === 1,
    created_at: text('created_at'),
    last_seen_at: text('last_seen_at'),
  };
}
