import { describe, expect, it } from 'vitest';
import { testForge, tempFolder } from '../testing/forge.ts';

describe('the demo shop', () => {
  it('C-140 one request leads to a working tool, offline, and the next start keeps it working', async () => {
    const dataDir = tempFolder();
    const forge = await testForge({ FORGE_DATA_DIR: dataDir });
    const { status, body } = await forge.request('POST', '/api/demo');
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ connector: 'demo-shop', tool: 'demo-shop.list_orders' });
    const call = await forge.request('POST', `/api/tools/${body.tool}/call`, { args: { status: 'open' } });
    expect(call.body).toMatchObject({ ok: true, result: [{ number: 1046, status: 'open' }, { number: 1045 }] });
    const test = await forge.request('POST', '/api/connectors/demo-shop/test');
    expect(test.body).toMatchObject({ ok: true, message: 'Signed in as demo, 2 orders are open' });
    const { body: connector } = await forge.request('GET', '/api/connectors/demo-shop');
    expect(connector).toMatchObject({ state: 'ready', review: false });

    // Asked a second time it changes nothing.
    expect((await forge.request('POST', '/api/demo')).body.url).toBe(body.url);
    await forge.services.demo.close();
    await forge.services.demo.resume();
    const again = await forge.request('POST', `/api/tools/${body.tool}/call`, { args: {} });
    expect(again.body.result).toHaveLength(5);
  });

  it('tells MCP clients of its tools at once', async () => {
    const forge = await testForge();
    let looks = 0;
    forge.services.mcp.lookForChanges = () => void (looks += 1);
    await forge.request('POST', '/api/demo');
    expect(looks).toBe(1);
  });

  it('W-20 installed from the marketplace it works at once as well', async () => {
    const forge = await testForge();
    expect((await forge.request('POST', '/api/connectors/marketplace/demo-shop/install')).status).toBe(201);
    const { body } = await forge.request('POST', '/api/tools/demo-shop.list_orders/call', { args: {} });
    expect(body.result).toHaveLength(5);
  });

  it('lets nobody in without its password, and its pages are behind a login', async () => {
    const forge = await testForge();
    const { url } = (await forge.request('POST', '/api/demo')).body as { url: string };
    expect(new URL(url).port).not.toBe(new URL(forge.url).port);
    expect((await fetch(`${url}/api/orders`)).status).toBe(401);
    expect((await fetch(`${url}/orders`)).url).toBe(`${url}/login`);
    const form = new URLSearchParams({ user: 'demo', password: 'wrong' });
    expect((await fetch(`${url}/login`, { method: 'POST', body: form })).status).toBe(401);
    form.set('password', 'hammer-and-tongs');
    const login = await fetch(`${url}/login`, { method: 'POST', body: form, redirect: 'manual' });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = await fetch(`${url}/orders`, { headers: { cookie } });
    expect(await page.text()).toContain('data-order="1046"');
    expect((await fetch(`${url}/login`, { method: 'POST', body: 'x'.repeat(20_000) })).status).toBe(413);
  });
});
