import { isIPv6 } from 'node:net';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import type { Database, Row } from '../../store/sqlite.ts';
import type { HostKey } from './host-key.ts';

/** Where a key was seen. The same address behind another jump host is another computer. */
export interface HostPlace {
  host: string;
  port: number;
  /** The jump host as `host:port`; empty for a direct connection. */
  via: string;
}

export interface KnownHost extends HostPlace {
  key_type: string;
  fingerprint: string;
  added_at: string;
}

export type KnownHosts = ReturnType<typeof createKnownHosts>;

const AT = 'host = ? AND port = ? AND via = ?';

/** The keys of hosts, remembered the first time each was seen. */
export function createKnownHosts(db: Database, now: () => Date = () => new Date()) {
  const find = db.prepare(`SELECT * FROM ssh_known_hosts WHERE ${AT}`);
  const insert = db.prepare(
    'INSERT OR IGNORE INTO ssh_known_hosts (host, port, via, key_type, blob, fingerprint, added_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const at = ({ host, port, via }: HostPlace): [string, number, string] => [host.toLowerCase(), port, via];
  return {
    typesOf: (place: HostPlace): string[] => find.all(...at(place)).map((row) => String(row['key_type'])),
    /** Of a host with a known key every other key is a changed one, also one of another type. */
    check(place: HostPlace, key: HostKey): 'known' | 'new' | { changed: KnownHost } {
      const rows = find.all(...at(place));
      if (rows.some((row) => row['key_type'] === key.type && row['blob'] === key.blob)) return 'known';
      const other = rows.find((row) => row['key_type'] === key.type) ?? rows[0];
      return other === undefined ? 'new' : { changed: fromRow(other) };
    },
    remember(place: HostPlace, key: HostKey): void {
      insert.run(...at(place), key.type, key.blob, key.fingerprint, now().toISOString());
    },
    list: (): KnownHost[] => db.prepare('SELECT * FROM ssh_known_hosts ORDER BY host, port, via').all().map(fromRow),
    /** `host` with all its ports, or `host:port`; the next connection remembers whatever key the host then has. */
    forget(text: string): number {
      const { host, port } = readPlace(text);
      const { changes } = db
        .prepare('DELETE FROM ssh_known_hosts WHERE host = ? AND (? IS NULL OR port = ?)')
        .run(host, port, port);
      if (Number(changes) > 0) return Number(changes);
      throw new ForgeError('not_found', `no key of ${JSON.stringify(text.slice(0, 300))} is known`, {
        hint: `\`${FORGE} ssh known-hosts\` lists the known ones.`,
      });
    },
  };
}

function readPlace(text: string): { host: string; port: number | null } {
  const wanted = text.trim().toLowerCase();
  if (isIPv6(wanted)) return { host: wanted, port: null };
  const match = /^\[?(.+?)\]?:(\d{1,5})$/.exec(wanted);
  if (match === null) return { host: wanted.replace(/^\[|\]$/g, ''), port: null };
  return { host: match[1] ?? '', port: Number(match[2]) };
}

function fromRow(row: Row): KnownHost {
  return {
    host: String(row['host']),
    port: Number(row['port']),
    via: String(row['via']),
    key_type: String(row['key_type']),
    fingerprint: String(row['fingerprint']),
    added_at: String(row['added_at']),
  };
}
