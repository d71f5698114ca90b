import { describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { withForge } from '../client.ts';
import { shopWorld } from '../testing/shop-world.ts';
import { postCall } from './post-call.ts';

const { signal } = new AbortController();

describe('postCall', () => {
  it('hands over output as it comes, then the answer', async () => {
    const { env } = await shopWorld();
    const output: string[] = [];
    const script = 'console.log("one"); console.error("two")';
    const reply = await withForge(readConfig(env), (forge) =>
      postCall(forge, 'shop.run_script', { args: { script } }, { signal, onOutput: (text) => output.push(text) }),
    );
    expect(reply).toMatchObject({ kind: 'answer', body: { ok: true, result: 'one' } });
    expect(output.toSorted()).toEqual(['one\n', 'two\n']);
  });

  it('recognises an approval in a stream too', async () => {
    const { env } = await shopWorld();
    const reply = await withForge(readConfig(env), (forge) =>
      postCall(forge, 'shop.delete_item', { args: { id: '7' } }, { signal, onOutput: () => undefined }),
    );
    expect(reply).toMatchObject({ kind: 'approval', approvalId: expect.stringMatching(/^apr_/) });
  });

  it.each([
    ['ends without an answer', 'event: output\ndata: {"text":"x"}\n\n', 'Forge ended the output without an answer'],
    ['ends with an error', 'event: error\ndata: {"error":{"code":"tool_not_found","message":"no x"}}\n\n', 'no x'],
    ['says what is not an answer', 'event: answer\ndata: {}\n\n', 'Forge answered 200 without saying why'],
  ])('does not take a stream for success that %s', async (_title, text, message) => {
    async function* chunks() {
      yield await Promise.resolve(Buffer.from(text));
    }
    const stream = { status: 200, type: 'text/event-stream; charset=utf-8', chunks: chunks() };
    const forge = { open: () => Promise.resolve(stream) };
    await expect(postCall(forge, 'a.b', {}, { signal, onOutput: () => undefined })).rejects.toThrow(message);
  });
});
