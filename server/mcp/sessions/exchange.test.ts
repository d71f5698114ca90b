import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { manualClock } from '../../bridge/testing/manual-clock.ts';
import { Exchange } from './exchange.ts';

it('answers with plain JSON when there was nothing to say before', async () => {
  const clock = manualClock();
  const exchange = new Exchange('application/json, text/event-stream', clock);
  exchange.end('{}');
  expect([await exchange.reply, clock.pending()]).toEqual([{ json: '{}' }, 0]);
});

it('leaves out what a client that takes no events cannot be told', async () => {
  const exchange = new Exchange('application/json', manualClock());
  exchange.send('{"method":"progress"}');
  exchange.end('{}');
  expect(await exchange.reply).toEqual({ json: '{}' });
});

it('keeps a stream open that is silent for long, until the answer', async () => {
  const clock = manualClock();
  const exchange = new Exchange('text/event-stream', clock);
  exchange.send('{"method":"progress"}');
  const { body } = await exchange.reply;
  const stream = body as Readable;
  clock.advance(60_000);
  expect(String(stream.read())).toBe('event: message\ndata: {"method":"progress"}\n\n: still here\n\n: still here\n\n');
  exchange.end('{}');
  clock.advance(60_000);
  expect(String(stream.read())).toBe('event: message\ndata: {}\n\n');
  if (!stream.closed) await once(stream, 'close');
  expect(clock.pending()).toBe(0);
});
