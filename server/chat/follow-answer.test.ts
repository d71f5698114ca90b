import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExecutionEvent, ExecutionResult } from '../execution/adapter.ts';
import { TaskStream } from '../execution/tasks/task-stream.ts';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { transaction } from '../store/transaction.ts';
import { followAnswer, type AnswerBooks } from './follow-answer.ts';
import { createMessages } from './messages.ts';
import { createSessions } from './sessions.ts';

const about = { taskId: 't', agentId: 'chat', timestamp: '2026-01-01T00:00:00.000Z' };
const text = (piece: string): ExecutionEvent => ({ type: 'execution.text', ...about, data: { text: piece } });
const OK: ExecutionResult = { status: 'ok', output: 'One two.', durationMs: 1 };

/** An answer that is followed, by books whose nth commits fail after all their work is done. */
async function followed(failing: readonly number[]) {
  const db = await openDatabase(path.join(tempDir(), 'forge.db'));
  onTestFinished(() => db.close());
  const now = () => new Date();
  const messages = createMessages(db, now);
  const sessionId = createSessions(db, now).add({ title: '', model: '', origin: 'api' });
  const answer = messages.add({ sessionId, role: 'assistant', status: 'queued', taskId: 't' })!;
  const problems: string[] = [];
  const later: (() => void)[] = [];
  let commits = 0;
  const books: AnswerBooks = {
    messages,
    commit: (work) =>
      transaction(db, () => {
        work();
        commits += 1;
        if (failing.includes(commits)) throw new Error(`commit ${commits} failed`);
      }),
    tell: () => undefined,
    after: (_ms, run) => {
      later.push(run);
      return () => void later.splice(later.indexOf(run), 1);
    },
    onProblem: (error) => problems.push(String(error)),
  };
  const stream = new TaskStream();
  let finish: (result: ExecutionResult) => void = () => undefined;
  const done = new Promise<ExecutionResult>((resolve) => (finish = resolve));
  const written = followAnswer(books, answer, { stream, done }, () => null);
  return {
    ...{ stream, finish, written, problems, later },
    pass: () => later.shift()?.(),
    stored: () => messages.require(sessionId, answer.id),
  };
}

describe('an answer that is written down', () => {
  it('has all of its text although a write in between has failed', async () => {
    const { stream, finish, written, problems, pass, stored } = await followed([1]);
    stream.append(text('One '));
    pass();
    expect([problems, stored().parts]).toEqual([['Error: commit 1 failed'], []]);
    const warning: ExecutionEvent = { type: 'execution.warning', ...about, data: { message: 'slow' } };
    stream.append(warning);
    finish({ ...OK, output: 'One ' });
    await written;
    expect(stored()).toMatchObject({ status: 'ok', parts: [{ type: 'text', text: 'One ' }] });
  });

  it('ends although its last write has failed, as soon as one succeeds', async () => {
    const { stream, finish, written, problems, later, pass, stored } = await followed([1, 2]);
    stream.append(text('One two.'));
    finish(OK);
    for (const count of [1, 2]) {
      await expect.poll(() => later.length).toBe(1);
      expect([problems.length, stored().status]).toEqual([count, 'queued']);
      pass();
    }
    await written;
    expect(stored()).toMatchObject({ status: 'ok', parts: [{ text: 'One two.' }] });
  });

  it('says so when it could not be written at all', async () => {
    const { finish, written, later, pass, stored } = await followed([1, 2, 3, 4]);
    const failed = expect(written).rejects.toThrow('commit 4 failed');
    finish(OK);
    for (let tried = 0; tried < 3; tried += 1) {
      await expect.poll(() => later.length).toBe(1);
      pass();
    }
    await failed;
    expect(stored().status).toBe('queued');
  });
});
