import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../../shared/secret.ts';
import { createHttpRunner } from '../../runners/http/http-runner.ts';
import { openDatabase } from '../../store/database.ts';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { upstream } from '../../testing/upstream.ts';
import { createTaskRows } from '../tasks/task-rows.ts';
import { createCallbacks } from './callbacks.ts';

const result = { status: 'ok' as const, output: 'Done.', durationMs: 5 };

/** Callbacks of one ended task to a receiver that answers with these statuses, one after the other. */
async function ended(statuses: number[]) {
  let asked = 0;
  const receiver = await upstream((_seen, response) => {
    response.writeHead(statuses[Math.min(asked++, statuses.length - 1)] ?? 200).end();
  });
  const db = await openDatabase(path.join(tempDir(), 'forge.db'));
  onTestFinished(() => db.close());
  const rows = createTaskRows(db, () => new Date());
  const slept: number[] = [];
  const http = createHttpRunner({ ownPorts: () => [] });
  const sealed = new Map<string, string>();
  const callbacks = createCallbacks({
    ...{ rows, http, ownPorts: () => [], warn: () => undefined },
    secrets: {
      prepare: () => Promise.resolve(),
      seal: (text, place) => {
        sealed.set(place, text);
        return `sealed for ${place}`;
      },
      open: (_sealed, place) => new Secret(sealed.get(place) ?? ''),
    },
    sleep: (ms, signal) => {
      slept.push(ms);
      signal.throwIfAborted();
      return Promise.resolve();
    },
  });
  const callback = await callbacks.prepare('t1', { url: `${receiver.url}/cb`, token: 'let-me-in' });
  rows.add({
    ...{ id: 't1', provider: 'p', agentId: 'a', sessionId: null, model: '', warnings: [], metadata: { step: 7 } },
    callback,
  });
  rows.ended('t1', result);
  return { receiver, rows, callbacks, slept, http };
}

describe('E-17 delivering a result', () => {
  it('fails twice and is delivered once, waiting longer each time', async () => {
    const { receiver, rows, callbacks, slept } = await ended([500, 503, 200]);
    await callbacks.deliver('t1');
    expect(receiver.seen).toHaveLength(3);
    expect(slept).toEqual([1000, 2000]);
    expect(rows.get('t1')?.callback).toMatchObject({ state: 'delivered', attempts: 3, problem: null });
    expect(new Set(receiver.seen.map(({ body }) => body)).size).toBe(1);
    expect(JSON.parse(receiver.seen[0]!.body)).toMatchObject({
      taskId: 't1',
      status: 'ok',
      output: 'Done.',
      metadata: { step: 7 },
    });
    expect(receiver.seen.map(({ headers }) => [headers['idempotency-key'], headers['authorization']])).toEqual(
      Array(3).fill(['t1', 'Bearer let-me-in']),
    );
    await callbacks.deliver('t1');
    expect(receiver.seen).toHaveLength(3);
  });

  it('gives up after three retries, and keeps no token', async () => {
    const { receiver, rows, callbacks, slept } = await ended([500]);
    await callbacks.deliver('t1');
    expect([receiver.seen.length, slept]).toEqual([4, [1000, 2000, 4000]]);
    expect(rows.get('t1')?.callback).toMatchObject({ state: 'failed', problem: 'it answered 500' });
    const places: string[] = [];
    rows.resealAll((sealed, place) => {
      places.push(place);
      return sealed;
    });
    expect(places).toEqual([]);
  });

  it('goes on after a restart with what was not delivered', async () => {
    const { receiver, rows, callbacks } = await ended([200]);
    callbacks.resume();
    await expect.poll(() => rows.get('t1')?.callback?.state).toBe('delivered');
    expect(receiver.seen).toHaveLength(1);
  });

  it('neither delivers nor gives up once it is stopped', async () => {
    const { receiver, rows, callbacks } = await ended([500]);
    await callbacks.stop();
    await callbacks.deliver('t1');
    expect(receiver.seen).toHaveLength(0);
    expect(rows.get('t1')?.callback).toMatchObject({ state: 'pending' });
  });

  it('follows no redirect', async () => {
    const { receiver, rows, callbacks } = await ended([302]);
    await callbacks.deliver('t1');
    expect(rows.get('t1')?.callback).toMatchObject({ state: 'failed', problem: 'it answered 302' });
    expect(receiver.seen.every(({ url }) => url === '/cb')).toBe(true);
  });
});
