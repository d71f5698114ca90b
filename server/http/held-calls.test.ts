import { describe, expect, it } from 'vitest';
import { call, install } from '../testing/demo-calls.ts';
import { testForge, type TestForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';

const HELD = { wait_for_approval: true };

async function demo(env: Record<string, string> = {}) {
  const service = await upstream();
  const forge = await testForge(env);
  await install(forge, service.url);
  return { forge, service };
}

/** The question that waits, once there is one. */
async function waitingId(forge: TestForge, index = 0): Promise<string> {
  const read = async () => (await forge.request('GET', '/api/approvals?order=oldest')).body.approvals[index]?.id;
  await expect.poll(read).toMatch(/^apr_/);
  return String(await read());
}

const decide = (forge: TestForge, id: string, decision: string) =>
  forge.request('POST', `/api/approvals/${id}`, { decision });

const statusOf = async (forge: TestForge, id: string): Promise<unknown> =>
  (await forge.request('GET', `/api/approvals/${id}`)).body.status;

describe('wait_for_approval', () => {
  it('holds the call until a person has approved it, and runs it by itself', async () => {
    const { forge, service } = await demo();
    const held = call(forge, 'demo.wipe', { id: '1' }, HELD);
    const id = await waitingId(forge);
    expect(service.seen).toEqual([]);
    await decide(forge, id, 'approve');
    expect(await held).toMatchObject({ status: 200, body: { ok: true } });
    expect(service.seen.map(({ line }) => line)).toEqual(['DELETE /items/1']);
    expect(await statusOf(forge, id)).toBe('used');
  });

  it('answers a no as a no, and sends nothing', async () => {
    const { forge, service } = await demo();
    const held = call(forge, 'demo.wipe', { id: '1' }, HELD);
    await decide(forge, await waitingId(forge), 'deny');
    expect(await held).toMatchObject({ status: 200, body: { ok: false, error: { code: 'approval_denied' } } });
    expect(service.seen).toEqual([]);
  });

  it('answers 409 when nobody has decided in time, and the question goes on waiting', async () => {
    const { forge, service } = await demo({ FORGE_HOLD_SECONDS: '0' });
    const { status, body } = await call(forge, 'demo.wipe', { id: '1' }, HELD);
    expect([status, body.error.code]).toEqual([409, 'approval_required']);
    expect(await statusOf(forge, body.approval_id)).toBe('pending');
    await decide(forge, body.approval_id, 'approve');
    expect((await call(forge, 'demo.wipe', { id: '1' }, HELD)).body.ok).toBe(true);
    expect(service.seen).toHaveLength(1);
  });

  it('is not assumed: without it the API answers 409 at once', async () => {
    const { forge } = await demo();
    expect((await call(forge, 'demo.wipe', { id: '1' })).status).toBe(409);
    expect((await call(forge, 'demo.wipe', { id: '1' }, { wait_for_approval: false })).status).toBe(409);
  });

  it('withdraws the question of a client that hangs up', async () => {
    const { forge, service } = await demo();
    const client = new AbortController();
    const held = fetch(`${forge.url}/api/tools/demo.wipe/call`, {
      method: 'POST',
      headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ args: { id: '1' }, ...HELD }),
      signal: client.signal,
    });
    const id = await waitingId(forge);
    client.abort();
    await expect(held).rejects.toThrow();
    await expect.poll(() => statusOf(forge, id)).toBe('expired');
    expect((await decide(forge, id, 'approve')).status).toBe(409);
    expect(service.seen).toEqual([]);
  });

  it('says in a stream what it waits for, one question after the other', async () => {
    const { forge, service } = await demo();
    const answer = fetch(`${forge.url}/api/tools/demo.reach/call`, {
      method: 'POST',
      headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ args: { host: service.host }, ...HELD }),
    });
    const id = await waitingId(forge);
    await decide(forge, id, 'approve');
    const events = (await (await answer).text()).split('\n\n').filter((event) => event !== '');
    expect(events).toEqual([
      expect.stringMatching(new RegExp(`^event: waiting\ndata: {"approval_id":"${id}","message":".+"}$`)),
      expect.stringMatching(/^event: answer\ndata: {"ok":true/),
    ]);
  });

  it('is answered at once when Forge stops, and the question is there after the next start', async () => {
    const { forge } = await demo();
    const held = call(forge, 'demo.wipe', { id: '1' }, HELD);
    const id = await waitingId(forge);
    await forge.close();
    expect(await held).toMatchObject({ status: 409, body: { approval_id: id } });
    const again = await testForge({ FORGE_DATA_DIR: forge.dataDir.root });
    expect(await statusOf(again, id)).toBe('pending');
  });
});
