import { randomBytes, randomInt } from 'node:crypto';
import type { BrowserState } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { BrowserFacts } from './browsers.ts';

/** A browser that asks to be paired; the code is what a person compares. */
export interface Pairing {
  id: string;
  code: string;
  origin: string;
  facts: BrowserFacts;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface PairingsDeps {
  now?: () => number;
  newId: () => string;
  randomCode?: () => number;
  random?: (bytes: number) => Buffer;
}

const PAIRING_MS = 10 * 60_000;
const MAX_PENDING = 5;
const TICKET_MS = 2 * 60_000;
const MAX_TICKETS = 20;

export type Pairings = ReturnType<typeof createPairings>;

/** Who waits to be accepted, and the tickets that need no waiting. In memory: after a restart everybody asks again. */
export function createPairings(deps: PairingsDeps) {
  const { now = Date.now, newId, randomCode = () => randomInt(1_000_000), random = randomBytes } = deps;
  const pending = new Map<string, Pairing>();
  const tickets = new Map<string, number>();
  const expire = (): void => {
    for (const { id, expiresAt } of pending.values()) if (expiresAt <= now()) pending.delete(id);
    for (const [ticket, expiresAt] of tickets) if (expiresAt <= now()) tickets.delete(ticket);
  };
  const freeCode = (): string => {
    const used = new Set(Array.from(pending.values(), ({ code }) => code));
    for (;;) {
      const digits = String(randomCode()).padStart(6, '0');
      const code = `${digits.slice(0, 3)} ${digits.slice(3)}`;
      if (!used.has(code)) return code;
    }
  };

  return {
    /** Opens a pairing, or finds the one this browser has asked for already with the same key. The oldest make room. */
    open(origin: string, facts: BrowserFacts): { pairing: Pairing; dropped: Pairing[] } {
      expire();
      const isSame = (other: BrowserFacts) =>
        other.browser_id === facts.browser_id && other.public_key === facts.public_key;
      const known = [...pending.values()].find((other) => other.origin === origin && isSame(other.facts));
      if (known !== undefined) {
        const again = { ...known, facts };
        pending.set(known.id, again);
        return { pairing: again, dropped: [] };
      }
      const dropped = [...pending.values()].slice(0, Math.max(0, pending.size - MAX_PENDING + 1));
      for (const { id } of dropped) pending.delete(id);
      const pairing = { id: newId(), code: freeCode(), origin, facts, expiresAt: now() + PAIRING_MS };
      pending.set(pairing.id, pairing);
      return { pairing, dropped };
    },
    list(): Pairing[] {
      expire();
      return [...pending.values()];
    },
    has(id: string): boolean {
      expire();
      return pending.has(id);
    },
    /** What changes while it waits. */
    changed(id: string, state: BrowserState): void {
      const found = pending.get(id);
      if (found !== undefined) pending.set(id, { ...found, facts: { ...found.facts, ...state } });
    },
    /** Ends a pairing, whichever way it went. */
    take(id: string): Pairing {
      expire();
      const found = pending.get(id);
      if (found === undefined) {
        throw new ForgeError('browser_not_found', `no browser ${JSON.stringify(id.slice(0, 100))} asks to be paired`, {
          hint: 'GET /api/browsers lists those that do; a request is kept for ten minutes.',
        });
      }
      pending.delete(id);
      return found;
    },
    /** For a browser that Forge starts itself: shown within two minutes, it replaces a person's click, once. */
    issueTicket(): string {
      expire();
      for (const [oldest] of tickets) {
        if (tickets.size < MAX_TICKETS) break;
        tickets.delete(oldest);
      }
      const ticket = random(32).toString('base64url');
      tickets.set(ticket, now() + TICKET_MS);
      return ticket;
    },
    /** Takes the ticket that fits, if there is one; it is good once. */
    useTicket(fits: (ticket: string) => boolean): string | null {
      expire();
      for (const ticket of tickets.keys()) {
        if (!fits(ticket)) continue;
        tickets.delete(ticket);
        return ticket;
      }
      return null;
    },
  };
}
