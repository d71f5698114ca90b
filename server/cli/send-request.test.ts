import { describe, expect, it } from 'vitest';
import { sendRequest } from './send-request.ts';
import { json, upstream } from '../testing/upstream.ts';

describe('sendRequest', () => {
  it('names the client on every request', async () => {
    const { url, seen } = await upstream(json({ ok: true }));
    const answer = await sendRequest(url, {
      method: 'POST',
      headers: { 'X-Other': 'kept' },
      body: 'ä',
      timeoutMs: 5000,
    });
    expect(answer).toEqual({ status: 200, text: '{"ok":true}' });
    expect(seen).toMatchObject([{ body: 'ä', headers: { 'x-forge-client': 'forge-cli', 'x-other': 'kept' } }]);
  });

  it.each([
    ['it is told to', (controller: AbortController) => ({ timeoutMs: 60_000, stop: () => controller.abort() })],
    ['the time is up', () => ({ timeoutMs: 1, stop: () => undefined })],
  ])('stops waiting when %s', async (_title, how) => {
    const controller = new AbortController();
    const { timeoutMs, stop } = how(controller);
    const { url } = await upstream(() => stop());
    await expect(sendRequest(url, { method: 'GET', timeoutMs, signal: controller.signal })).rejects.toThrow(/abort/i);
  });
});
