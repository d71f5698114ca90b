import { hash, randomBytes } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';

/** An MCP client a person has named. Its token is kept as a hash only. */
export interface McpClient {
  id: string;
  name: string;
  /** Null is all of them. */
  connectors: string[] | null;
  read_only: boolean;
  created_at: string;
  last_used_at: string | null;
}

export interface ClientLimits {
  connectors: string[] | null;
  read_only: boolean;
}

interface ClientsDeps {
  db: Database;
  /** Told when the time a client was last used could not be written. */
  report?: (failure: unknown) => void;
  now?: () => number;
  random?: (bytes: number) => Buffer;
}

/** It is sent in a header and stands in the call log, so it is plain. */
const NAME = /^[A-Za-z0-9][\w .@-]{0,59}$/;
const SEEN_EVERY_MS = 60_000;

export type McpClients = ReturnType<typeof createMcpClients>;

/** The named clients in the database. They are few and asked for at every request, so they are kept in memory as well. */
export function createMcpClients({ db, report, now = Date.now, random = randomBytes }: ClientsDeps) {
  const stamp = () => new Date(now()).toISOString();
  const seen = new Map<string, number>();
  let byHash: Map<string, McpClient> | null = null;
  const all = () => (byHash ??= readAll(db));
  const find = (idOrName: string): McpClient | null =>
    [...all().values()].find(({ id, name }) => id === idOrName || name.toLowerCase() === idOrName.toLowerCase()) ??
    null;
  const required = (idOrName: string): McpClient => {
    const found = find(idOrName);
    if (found !== null) return found;
    throw new ForgeError('not_found', `there is no MCP client ${JSON.stringify(idOrName.slice(0, 80))}`, {
      hint: `\`${FORGE} mcp token list\` shows them.`,
    });
  };
  /** The time is good enough by the minute, and a write at every call would not be. */
  const used = (client: McpClient): McpClient => {
    const at = now();
    if (at - (seen.get(client.id) ?? 0) < SEEN_EVERY_MS) return client;
    seen.set(client.id, at);
    try {
      db.prepare('UPDATE mcp_clients SET last_used_at = ? WHERE id = ?').run(stamp(), client.id);
      client.last_used_at = stamp();
    } catch (failure) {
      // A full disk is no reason to refuse a call: only the time is lost.
      report?.(failure);
    }
    return client;
  };

  return {
    list: (): McpClient[] => [...all().values()],
    find,

    /** Makes a client and its token, which is shown this once. */
    add(name: string, limits: ClientLimits): { client: McpClient; token: string } {
      const token = `fmc_${random(32).toString('base64url')}`;
      const client: McpClient = {
        id: `mcp_${random(8).toString('hex')}`,
        name: checkedName(name),
        ...limits,
        created_at: stamp(),
        last_used_at: null,
      };
      transaction(db, () => {
        if (find(client.name) !== null) {
          throw new ForgeError('conflict', `there is an MCP client ${JSON.stringify(client.name)} already`, {
            hint: 'Revoke it first, or use another name.',
          });
        }
        insert(db, client, tokenHash(token));
      });
      byHash = null;
      return { client, token };
    },

    change(idOrName: string, { connectors, read_only }: ClientLimits): McpClient {
      const { id } = required(idOrName);
      const sql = 'UPDATE mcp_clients SET connectors = ?, read_only = ? WHERE id = ?';
      db.prepare(sql).run(connectors === null ? null : JSON.stringify(connectors), Number(read_only), id);
      byHash = null;
      return required(id);
    },

    remove(idOrName: string): McpClient {
      const removed = required(idOrName);
      db.prepare('DELETE FROM mcp_clients WHERE id = ?').run(removed.id);
      byHash = null;
      return removed;
    },

    /** The client a token belongs to. Finding it by its hash tells nobody how much of a guess was right. */
    withToken(token: string): McpClient | null {
      const client = all().get(tokenHash(token));
      return client === undefined ? null : used(client);
    },
    /** The client that somebody with the owner's token speaks for. */
    named(name: string): McpClient {
      const found = find(name);
      if (found !== null) return used(found);
      throw new ForgeError(
        'client_not_allowed',
        `Forge has no MCP client called ${JSON.stringify(name.slice(0, 80))}`,
        {
          hint: `Set it up with \`${FORGE} mcp install\`, or again if it was revoked; \`${FORGE} mcp token list\` shows the clients.`,
        },
      );
    },
  };
}

function checkedName(name: string): string {
  const wanted = name.trim();
  if (NAME.test(wanted)) return wanted;
  throw new ForgeError('invalid_request', `${JSON.stringify(name.slice(0, 80))} cannot be the name of a client`, {
    hint: 'Use up to 60 letters, digits, spaces and _ . @ -',
  });
}

function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

function insert(db: Database, client: McpClient, token_hash: string): void {
  const { id, name, connectors, read_only, created_at } = client;
  db.prepare(
    'INSERT INTO mcp_clients (id, name, token_hash, connectors, read_only, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(id, name, token_hash, connectors === null ? null : JSON.stringify(connectors), Number(read_only), created_at);
}

function readAll(db: Database): Map<string, McpClient> {
  const rows = db.prepare('SELECT * FROM mcp_clients ORDER BY created_at, id').all();
  return new Map(rows.map((row) => [String(row['token_hash']), fromRow(row)]));
}

function fromRow(row: Row): McpClient {
  return {
    id: String(row['id']),
    name: String(row['name']),
    // Only `insert` and `change` above write it.
    connectors: row['connectors'] === null ? null : (JSON.parse(String(row['connectors'])) as string[]),
    read_only: row['read_only'] === 1,
    created_at: String(row['created_at']),
    last_used_at: row['last_used_at'] === null ? null : String(row['last_used_at']),
  };
}
