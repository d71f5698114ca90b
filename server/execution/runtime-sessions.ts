import { hash } from 'node:crypto';
import type { ExecutionRequest, HistoryMessage } from './adapter.ts';

interface OwnSession {
  name: string;
  /** A digest of all that was said in it. */
  seen: string;
}

const MAX_SESSIONS = 1000;

/**
 * Sessions that a runtime keeps itself, by conversation. A person may take back what was said, and a session that still holds it would
 * let it lead to something: so one is gone on with only by a request that goes on exactly where it stands.
 */
export class RuntimeSessions {
  readonly #sessions = new Map<string, OwnSession>();
  readonly #max: number;

  constructor(max = MAX_SESSIONS) {
    this.#max = max;
  }

  /** The session to go on with, or undefined when there is none that has seen this history and nothing else. */
  take(request: ExecutionRequest): string | undefined {
    const key = keyOf(request);
    const found = key === null ? undefined : this.#sessions.get(key);
    if (key === null || found === undefined) return undefined;
    if (request.history === undefined || found.seen === digestOf(request.history)) return found.name;
    this.#sessions.delete(key);
    return undefined;
  }

  /** The session has now seen the request, and what becomes of it. */
  keep(request: ExecutionRequest, name: string): void {
    const key = keyOf(request);
    if (key === null) return;
    const { history = [], message, taskId } = request;
    const said: HistoryMessage[] = [
      ...history,
      { role: 'user', text: message },
      { role: 'assistant', text: '', taskId },
    ];
    this.#sessions.delete(key);
    this.#sessions.set(key, { name, seen: digestOf(said) });
    for (const [oldest] of this.#sessions) {
      if (this.#sessions.size <= this.#max) return;
      this.#sessions.delete(oldest);
    }
  }
}

/** Whoever tells no history leaves remembering to the runtime, and must not come upon a conversation that somebody else tells. */
function keyOf({ sessionId, history }: ExecutionRequest): string | null {
  return sessionId === undefined ? null : `${history === undefined ? 'kept' : 'told'} ${sessionId}`;
}

/** An answer is known by the task that gave it: another one to the same question may have come from other sources, in the same words. */
function digestOf(history: readonly HistoryMessage[]): string {
  const said = history.flatMap((entry) => {
    if (entry.role === 'tool') return [];
    return [entry.role === 'user' ? ['user', entry.text] : ['assistant', entry.taskId ?? entry.text]];
  });
  // An answer is several messages when it used tools.
  const turns = said.filter((entry, index) => entry[0] === 'user' || entry[1] !== said[index - 1]?.[1]);
  return hash('sha256', JSON.stringify(turns), 'hex');
}

/** A conversation that a runtime has not seen is told as part of the message. */
export function withHistory({ history = [], message }: Pick<ExecutionRequest, 'history' | 'message'>): string {
  const said = history.flatMap((entry) => {
    if (entry.role === 'tool' || entry.text === '') return [];
    return [`${entry.role === 'user' ? 'Person' : 'You'}: ${entry.text}`];
  });
  return said.length === 0 ? message : `What was said before:\n\n${said.join('\n\n')}\n\nPerson: ${message}`;
}
