import { expect, it } from 'vitest';
import { readEvents } from './read-events.ts';

const STREAM =
  'event: output\ndata: {"text":"é\\n\\n"}\n\n: still here\n\ndata: [1]\n\nevent: answer\ndata: {"ok":true}\n\n';

// One byte at a time splits characters and events wherever they can be split.
it.each([1, 7, 1000])('puts events together from pieces of %i bytes', async (size) => {
  const bytes = Buffer.from(STREAM);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }
  const events: unknown[] = [];
  for await (const event of readEvents(pieces())) events.push(event);
  expect(events).toEqual([
    { event: 'output', data: { text: 'é\n\n' }, id: '' },
    { event: 'message', data: [1], id: '' },
    { event: 'answer', data: { ok: true }, id: '' },
  ]);
});
