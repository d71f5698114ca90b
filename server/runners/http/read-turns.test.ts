import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ReadTurns } from './read-turns.ts';

const BODY = Buffer.alloc(4_000_000, 'x');

async function service(): Promise<string> {
  const server = createServer((_, response) => response.end(BODY)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads an answer and says what came. */
const reading = (
  agent: Agent,
  origin: string,
  onPiece: (controller: Dispatcher.DispatchController, bytes: number) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    let length = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (controller, chunk) => {
        length += chunk.length;
        onPiece(controller, chunk.length);
      },
      onResponseEnd: () => resolve(length),
      onResponseError: (_, error) => reject(error),
    };
    agent.dispatch({ origin, path: '/', method: 'GET' }, handler);
  });

describe('S13 answers that arrive at the same time', () => {
  it('are read a part at a time, all of them to their end', async () => {
    const origin = await service();
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const perTurn = 200_000;
    let turn = 0;
    const turns = new ReadTurns(perTurn, (go) =>
      setImmediate(() => {
        turn += 1;
        go();
      }),
    );
    const read = new Map<number, number>();
    const lengths = await Promise.all(
      Array.from({ length: 8 }, () =>
        reading(agent, origin, (controller, bytes) => {
          read.set(turn, (read.get(turn) ?? 0) + bytes);
          turns.read(controller, bytes);
        }),
      ),
    );
    expect(lengths).toEqual(Array.from({ length: 8 }, () => BODY.length));
    // Each of the eight may hand over the piece it has at hand, of 64 KiB at the most.
    expect(Math.max(...read.values())).toBeLessThanOrEqual(perTurn + 9 * 65_536);
    expect(turn).toBeGreaterThan(BODY.length / perTurn);
  });

  it('one that was given up holds up none of the others', async () => {
    const origin = await service();
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const turns = new ReadTurns(100_000);
    const given = reading(agent, origin, (controller, bytes) => {
      turns.read(controller, bytes);
      controller.abort(new Error('the caller has gone'));
    });
    const others = [1, 2].map(() => reading(agent, origin, (controller, bytes) => turns.read(controller, bytes)));
    await expect(given).rejects.toThrow('the caller has gone');
    expect(await Promise.all(others)).toEqual([BODY.length, BODY.length]);
  });

  it('counts tiny pieces as well, and lets those that wait go on in their order', () => {
    const turns: (() => void)[] = [];
    const gate = new ReadTurns(1000, (go) => void turns.push(go));
    const log: string[] = [];
    const reader = (name: string) => ({
      pause: () => void log.push(`${name} waits`),
      resume: () => {
        log.push(`${name} goes on`);
        gate.read(readers[name === 'a' ? 0 : 1] ?? { pause: () => undefined, resume: () => undefined }, 2000);
      },
    });
    const readers = [reader('a'), reader('b')];
    for (let piece = 0; piece < 4; piece += 1) gate.read(readers[0] ?? reader('a'), 1);
    gate.read(readers[1] ?? reader('b'), 1);
    expect(log).toEqual(['a waits', 'b waits']);
    turns.shift()?.();
    expect(log.slice(2)).toEqual(['a goes on', 'a waits']);
    turns.shift()?.();
    expect(log.slice(4)).toEqual(['b goes on', 'b waits']);
  });
});
