import { DEFAULT_OWN_PORTS } from '../../shared/own-origins.ts';

/** What the extension remembers between browser starts. Nothing of a call is ever in it. */
export interface Saved {
  /** Tells this profile from others; made once. */
  browser_id: string;
  /** What the Forge that this browser is paired with proves itself by. */
  server_key: string | null;
  server: { host: string; port: number };
  /** The ports that Forge has said are its own. */
  own_ports: readonly number[];
  paused: boolean;
  /** False after a no: the browser then asks again only when the person wants it to. */
  may_ask: boolean;
  /** The person's own name for this profile. */
  label: string;
}

export const DEFAULT_PORT = 8403;

/** Storage as the browser offers it. */
export interface Storage {
  get: () => Promise<Record<string, unknown>>;
  set: (values: Record<string, unknown>) => Promise<void>;
}

/** Reads what is stored, and fills in what is missing or damaged; a new browser id is stored at once. */
export async function loadSaved(storage: Storage, newId: () => string, onlyPort: number | null = null): Promise<Saved> {
  const stored = await storage.get();
  const saved = readSaved(stored, newId, onlyPort);
  if (stored['browser_id'] !== saved.browser_id) await storage.set({ browser_id: saved.browser_id });
  return saved;
}

function readSaved(stored: Record<string, unknown>, newId: () => string, onlyPort: number | null): Saved {
  const { browser_id, server_key, paused, may_ask, label, server, own_ports } = stored;
  return {
    browser_id: typeof browser_id === 'string' && /^[0-9a-f]{16,64}$/.test(browser_id) ? browser_id : newId(),
    server_key: typeof server_key === 'string' ? server_key : null,
    server: readServer(server, onlyPort),
    own_ports: Array.isArray(own_ports) ? own_ports.filter(isPort) : [],
    paused: paused === true,
    may_ask: may_ask !== false,
    label: typeof label === 'string' ? label.slice(0, 80) : '',
  };
}

/**
 * The one port that the extension's own policy lets it connect to, or null when the policy allows every port of this computer. The policy is
 * the only place that says so: a copy of the extension for a Forge on another port differs in nothing else.
 */
export function onlyPortIn(policy: string): number | null {
  const port = Number(/\bws:\/\/127\.0\.0\.1:(\d{1,5})(?=[\s;]|$)/.exec(policy)?.[1]);
  return isPort(port) ? port : null;
}

/** Forge listens on this computer only, so a stored host cannot lead anywhere else; a stored port counts only where the policy leaves a choice. */
export function readServer(value: unknown, onlyPort: number | null): Saved['server'] {
  if (onlyPort !== null) return { host: '127.0.0.1', port: onlyPort };
  const port = typeof value === 'object' && value !== null && 'port' in value ? value.port : DEFAULT_PORT;
  return { host: '127.0.0.1', port: isPort(port) ? port : DEFAULT_PORT };
}

/** Every port that is Forge's own, as far as this browser can know: what Forge uses by itself, where its socket goes, and what it has said. */
export function ownPortsOf({ server, own_ports }: Pick<Saved, 'server' | 'own_ports'>): readonly number[] {
  return [...new Set([...DEFAULT_OWN_PORTS, server.port, ...own_ports])];
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}
