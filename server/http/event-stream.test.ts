import { text } from 'node:stream/consumers';
import type { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { createLog } from '../log.ts';
import { eventStream } from './event-stream.ts';
import { tellErrors } from './middleware/answer-errors.ts';

/** What a client reads, and what the log says. */
async function stream(work: Parameters<typeof eventStream>[1]) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', redact: (line) => line, write: (line) => lines.push(line) });
  const tell = tellErrors(log, (json) => json.replaceAll('hunter22', '[secret]'));
  const { body } = eventStream((failure) => tell(failure, { stream: 'a.b' }).json, work);
  return { sent: await text(body as PassThrough), lines };
}

describe('an event stream', () => {
  it('ends when its work does', async () => {
    const { sent } = await stream((send) => {
      send('output', '1');
      return Promise.resolve();
    });
    expect(sent).toBe('event: output\ndata: 1\n\n');
  });

  it('ends with what went wrong, after what was sent before, and without secrets', async () => {
    const { sent, lines } = await stream((send) => {
      send('output', '1');
      return Promise.reject(new ForgeError('conflict', 'hunter22 is taken', { hint: 'Take another.', details: [1] }));
    });
    const error = { code: 'conflict', message: '[secret] is taken', hint: 'Take another.', details: [1] };
    expect(sent).toBe(`event: output\ndata: 1\n\nevent: error\ndata: ${JSON.stringify({ error })}\n\n`);
    expect(lines).toEqual([]);
  });

  it('tells a failure that nobody foresaw without its insides, and logs it whole', async () => {
    const { sent, lines } = await stream(() => Promise.reject(new TypeError('x of undefined\nat y')));
    expect(JSON.parse(/^event: error\ndata: (.+)\n\n$/.exec(sent)?.[1] ?? '')).toMatchObject({
      error: { code: 'internal', message: 'something went wrong inside Forge' },
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('x of undefined');
    expect(lines[0]).toContain('"stream":"a.b"');
  });

  it('does not end well when not even the error can be told', async () => {
    const { body } = eventStream(
      () => {
        throw new Error('cannot be told');
      },
      () => Promise.reject(new Error('no')),
    );
    await expect(text(body as PassThrough)).rejects.toThrow('cannot be told');
  });
});
