import { randomBytes } from 'node:crypto';
import { ForgeError } from '../../../shared/errors.ts';

/** What a person is asked to confirm, drawn from the request itself. */
export interface Described {
  /** The whole question in one sentence. */
  title: string;
  /** What the button says. */
  verb: string;
  lines: readonly DescribedLine[];
}

export interface DescribedLine {
  label: string;
  text: string;
}

/** The one request that a confirmation is good for. */
export interface AskedRequest {
  sessionId: string;
  method: string;
  /** Path and query, as sent. */
  target: string;
  bodySha256: string;
}

export type ConfirmationState = 'pending' | 'confirmed' | 'cancelled';

interface Confirmation {
  request: AskedRequest;
  described: Described;
  state: ConfirmationState;
  expiresAt: number;
}

interface ConfirmationsDeps {
  now?: () => number;
  random?: (size: number) => Buffer;
}

const LIFETIME_MS = 2 * 60_000;
/** A person looks at one; a script that asks for more pushes out its own. */
const MAX_PER_SESSION = 16;

export type Confirmations = ReturnType<typeof createConfirmations>;

/** Requests of pages that wait for a person. They are kept in memory: a restart forgets them, and the page asks again. */
export function createConfirmations({ now = Date.now, random = randomBytes }: ConfirmationsDeps = {}) {
  const waiting = new Map<string, Confirmation>();
  const find = (id: string): Confirmation | null => {
    const found = waiting.get(id);
    if (found !== undefined && now() < found.expiresAt) return found;
    waiting.delete(id);
    return null;
  };
  const makeRoom = (sessionId: string): void => {
    for (const id of [...waiting.keys()]) find(id);
    const own = [...waiting].filter(([, { request }]) => request.sessionId === sessionId);
    for (const [id] of own.slice(0, Math.max(0, own.length - MAX_PER_SESSION + 1))) waiting.delete(id);
  };

  return {
    /** Puts a request to a person; the id names the question and proves nothing. */
    ask(request: AskedRequest, described: Described): string {
      makeRoom(request.sessionId);
      const id = random(16).toString('hex');
      waiting.set(id, { request, described, state: 'pending', expiresAt: now() + LIFETIME_MS });
      return id;
    },
    describe: (id: string): Described | null => {
      const found = find(id);
      return found?.state === 'pending' ? found.described : null;
    },
    state: (id: string): ConfirmationState | null => find(id)?.state ?? null,
    /** A person's answer, once; true when the question was still waiting. */
    decide(id: string, state: 'confirmed' | 'cancelled'): boolean {
      const found = find(id);
      if (found?.state !== 'pending') return false;
      found.state = state;
      return true;
    },
    /** Lets exactly the request through that was confirmed, once. */
    use(id: string, request: AskedRequest): void {
      const found = find(id);
      const isSame =
        found?.request.sessionId === request.sessionId &&
        found.request.method === request.method &&
        found.request.target === request.target &&
        found.request.bodySha256 === request.bodySha256;
      if (!isSame || found.state !== 'confirmed')
        throw new ForgeError('confirmation_invalid', 'this request was not confirmed');
      waiting.delete(id);
    },
  };
}
