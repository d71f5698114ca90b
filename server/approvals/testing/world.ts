import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../store/database.ts';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { createApprovals, type CallQuestion, type Verdict } from '../approvals.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

/** Approvals over a real database, with a clock the test turns and ids that count up. */
export async function world() {
  const file = path.join(tempDir(), 'forge.db');
  const db = await openDatabase(file);
  onTestFinished(() => db.close());
  const clock = { now: START };
  let count = 0;
  const random = (bytes: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUInt32BE((count += 1), bytes - 4);
    return buffer;
  };
  const now = () => new Date(clock.now);
  return { file, db, clock, now, approvals: createApprovals({ db, now, random }) };
}

/** A call that wants a yes; `args` hold what must not be stored. */
export function question(changes: Partial<CallQuestion> = {}): CallQuestion {
  return {
    toolId: 'jira.delete_issue',
    connectorId: 'jira',
    definitionSha256: 'as accepted',
    args: { key: 'ABC-1', note: 'my password is hunter2' },
    redactedArgs: { key: 'ABC-1', note: 'my password is [secret]' },
    caller: 'http',
    sessionId: null,
    readFrom: null,
    reason: 'It deletes something.',
    ...changes,
  };
}

export function withArgs(args: Record<string, string | number | boolean | number[]>): CallQuestion {
  return question({ args, redactedArgs: args });
}

/** The id under which a person was asked. */
export function asked(verdict: Verdict): string {
  if (verdict.allowed) throw new Error('it was allowed');
  return verdict.approval.id;
}

/** The hash of every tool: what questions say it is, so that nothing has changed. */
export const asAccepted = (): string => question().definitionSha256;
