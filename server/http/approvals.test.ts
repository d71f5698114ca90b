import { describe, expect, it } from 'vitest';
import { call, install } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';

describe('K-10 approvals', () => {
  it('a destructive tool waits for a person, runs once with their yes, and not again', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream();
    await install(forge, url);
    const asked = await call(forge, 'demo.wipe', { id: '1' });
    expect([asked.status, asked.body.error.code]).toEqual([409, 'approval_required']);
    const id = String(asked.body.approval_id);
    expect((await forge.request('GET', '/api/approvals')).body.approvals).toMatchObject([
      { id, tool_id: 'demo.wipe', args: { id: '1' }, status: 'pending' },
    ]);
    expect((await call(forge, 'demo.wipe', { id: '1' }, { approval_id: id })).status).toBe(409);
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'approve' });
    expect((await call(forge, 'demo.wipe', { id: '2' }, { approval_id: id })).body.ok).not.toBe(true);
    expect((await call(forge, 'demo.wipe', { id: '1' }, { approval_id: id })).body.ok).toBe(true);
    expect((await call(forge, 'demo.wipe', { id: '1' }, { approval_id: id })).body.ok).not.toBe(true);
    expect(seen.map(({ method, url: place }) => `${method} ${place}`)).toEqual(['DELETE /items/1']);
  });

  it('S11 are listed a page at a time, and one by one', async () => {
    const forge = await testForge();
    const { url } = await upstream();
    await install(forge, url);
    const ids: string[] = [];
    for (const id of ['1', '2', '3']) ids.push(String((await call(forge, 'demo.wipe', { id })).body.approval_id));
    const read = async (query: string) => (await forge.request('GET', `/api/approvals?${query}`)).body;
    const first = await read('order=oldest&limit=2');
    expect(first).toMatchObject({ approvals: [{ id: ids[0] }, { id: ids[1] }], waiting: 3 });
    const rest = await read(`order=oldest&limit=2&after=${encodeURIComponent(first.next)}`);
    expect(rest).toMatchObject({ approvals: [{ id: ids[2] }], next: null, waiting: 3 });
    expect((await read('')).approvals.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect((await forge.request('GET', '/api/approvals?after=x')).body.error.code).toBe('invalid_request');
    await forge.request('POST', `/api/approvals/${ids[0]}`, { decision: 'deny' });
    expect((await forge.request('GET', `/api/approvals/${ids[0]}`)).body).toMatchObject({ status: 'denied' });
    expect((await forge.request('GET', '/api/approvals/apr_none')).status).toBe(404);
  });

  it('a no is a no', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream();
    await install(forge, url);
    const id = String((await call(forge, 'demo.wipe', { id: '1' })).body.approval_id);
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'deny' });
    expect((await call(forge, 'demo.wipe', { id: '1' }, { approval_id: id })).body.error.code).toBe('approval_denied');
    expect(seen).toEqual([]);
  });

  it('the log says that a call was denied when its caller never came back', async () => {
    const forge = await testForge();
    const { url } = await upstream();
    await install(forge, url);
    const { approval_id: id, call_id } = (await call(forge, 'demo.wipe', { id: '1' })).body;
    const listed = async () => (await forge.request('GET', '/api/calls')).body.calls;
    expect(await listed()).toMatchObject([{ id: call_id, code: 'approval_required', approval: 'pending' }]);
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'deny' });
    expect(await listed()).toMatchObject([{ id: call_id, code: 'approval_required', approval: 'denied' }]);
    expect((await forge.request('GET', `/api/calls/${call_id}`)).body).toMatchObject({ approval: 'denied' });
  });

  it('a standing approval holds within its limits', async () => {
    const forge = await testForge();
    const { url } = await upstream();
    await install(forge, url);
    const id = String((await call(forge, 'demo.wipe', { id: '1' })).body.approval_id);
    await forge.request('POST', `/api/approvals/${id}`, {
      decision: 'approve',
      standing: { conditions: { id: '5' }, max_uses: 2 },
    });
    expect((await call(forge, 'demo.wipe', { id: '5' })).body.ok).toBe(true);
    expect((await call(forge, 'demo.wipe', { id: '6' })).status).toBe(409);
    expect((await call(forge, 'demo.wipe', { id: '5' })).body.ok).toBe(true);
    expect((await call(forge, 'demo.wipe', { id: '5' })).status).toBe(409);
  });

  it('K-61 a host that an argument names is asked for once, and then remembered', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream();
    await install(forge, url);
    const host = new URL(url).host;
    const asked = await call(forge, 'demo.reach', { host });
    expect(asked.status).toBe(409);
    expect(asked.body.error.message).toContain(host);
    expect(seen).toEqual([]);
    await forge.request('POST', `/api/approvals/${String(asked.body.approval_id)}`, { decision: 'approve' });
    expect((await call(forge, 'demo.reach', { host }, { approval_id: asked.body.approval_id })).body.ok).toBe(true);
    expect((await call(forge, 'demo.reach', { host })).body.ok).toBe(true);
    expect((await forge.request('GET', '/api/connectors/demo/hosts')).body.hosts).toMatchObject([{ host }]);
  });
});
