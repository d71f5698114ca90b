import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../execution/testing/read-events.ts';
import { testForge } from '../testing/forge.ts';

const SCRIPTED = path.join(import.meta.dirname, '../execution/testing/fixtures/scripted-adapter.js');
const SCRIPTED_ENV = { BRIDGE_ADAPTERS: 'custom', CUSTOM_ADAPTER_MODULE: SCRIPTED };

/** Asks again with the last id of each answer until one brings nothing new; answers the ids of each. */
async function readInPortions(read: (after: number) => Promise<number[]>): Promise<number[][]> {
  const portions: number[][] = [];
  for (let last = 0; ; last = portions.at(-1)?.at(-1) ?? 0) {
    const ids = await read(last);
    if (ids.length === 0) return portions;
    portions.push(ids);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('E-19 a client that has missed more than fits', () => {
  it('gets the events in portions, and every one of them', async () => {
    const forge = await testForge();
    for (let index = 0; index < 120; index += 1)
      forge.services.events.append({ type: 'chat.session', session_id: `s${'x'.repeat(20_000)}`, change: 'changed' });
    const portions = await readInPortions(async (after) => {
      const { text } = await forge.request('GET', `/api/events?follow=false&after=${after}`);
      return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    });
    expect(portions.length).toBeGreaterThan(1);
    expect(portions.flat()).toEqual(upTo(120));
    // One that would go on listening is let go as well, and nobody is kept waiting for it.
    const cut = await forge.request('GET', '/api/events?after=0');
    expect(cut.text.match(/^id: /gm)).toHaveLength(portions[0]!.length);
    await expect.poll(() => forge.services.streams.size).toBe(0);
    expect((await forge.request('GET', '/api/health')).status).toBe(200);
  });

  it('gets a task’s events in portions, and every one of them', async () => {
    const forge = await testForge(SCRIPTED_ENV);
    const { taskId } = (await forge.request('POST', '/api/v2/dispatch', { message: 'hang' })).body;
    const { orchestrator } = forge.services.execution;
    await expect.poll(() => orchestrator.get(taskId).status).toBe('running');
    const about = { taskId, agentId: 'default', timestamp: new Date().toISOString() };
    for (let index = 0; index < 30; index += 1)
      orchestrator.hear({ type: 'execution.warning', ...about, data: { message: `w${'x'.repeat(200_000)}` } });
    const running = await readEvents(forge, taskId);
    expect(running.events.length).toBeLessThan(30);
    orchestrator.cancel(taskId);
    await expect.poll(() => orchestrator.get(taskId).status).toBe('cancelled');
    const portions = await readInPortions(async (after) => {
      const { events } = await readEvents(forge, taskId, after);
      return events.map(({ id }) => id);
    });
    expect(portions.length).toBeGreaterThan(1);
    // It begins, says that it waits, is warned thirty times, and ends.
    expect(portions.flat()).toEqual(upTo(33));
    await expect.poll(() => forge.services.streams.size).toBe(0);
  });
});
