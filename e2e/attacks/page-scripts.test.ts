import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { confirmIn } from '../testing/confirm.ts';
import { sendAsScript, type ScriptAnswer } from '../testing/page-script.ts';
import { SHOP, shopPage } from '../testing/shop-page.ts';

const CLIENT = { name: 'evil' };
const world = shopPage();
const { clients, pendingApproval } = world;

const send = (method: string, place: string, body?: unknown, headers?: Record<string, string>): Promise<ScriptAnswer> =>
  sendAsScript(world.page, method, place, body, headers);

/** Asks for a client as a script, and puts the question into a frame as that script likes it. */
async function framed(style: string, cover = ''): Promise<{ id: string; url: string }> {
  const { confirmation: id, url } = await send('POST', '/api/mcp/clients', CLIENT);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  await world.page.evaluate(
    ([src, css, more]) => {
      const holder = document.createElement('div');
      holder.id = 'holder';
      holder.style.cssText = 'position:fixed;inset:0;z-index:1000;background:#888';
      const frame = document.createElement('iframe');
      frame.id = 'bait';
      frame.src = src;
      frame.style.cssText = `position:absolute;left:40px;top:40px;width:500px;height:320px;border:0;${css}`;
      holder.append(frame);
      if (more !== '') {
        // By script: the page's policy takes no style attributes from markup.
        const cover = document.createElement('div');
        cover.textContent = 'Free coffee';
        cover.style.cssText = `position:absolute;pointer-events:none;background:#fff;left:40px;${more}`;
        holder.append(cover);
      }
      document.body.append(holder);
    },
    [url, style, cover] as const,
  );
  await expect.poll(() => world.page.frames().some((frame) => frame.url() === url)).toBe(true);
  return { id, url };
}

const bait = () => {
  const found = world.page.frames().find((frame) => frame.url().includes('/confirm/'));
  if (found === undefined) throw new Error('the question is not shown');
  return found;
};

/** The guard goes by how long somebody has been there, so an attacker takes that time as well. */
async function restIn(where: Page): Promise<void> {
  await where.evaluate(() => new Promise((resolve) => setTimeout(resolve, 450)));
}

/** Presses where the button is, again and again, as somebody would who sees something else there. */
async function pressBlindly(): Promise<void> {
  const box = (await bait().locator('#confirm').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (let round = 0; round < 4; round += 1) {
    await world.page.mouse.move(x + round, y);
    await restIn(world.page);
    await world.page.mouse.click(x + round, y);
  }
}

/** Whether the question was confirmed is what the server says, not the page. */
async function isConfirmed(id: string): Promise<boolean> {
  return (await send('POST', '/api/mcp/clients', CLIENT, { 'X-Forge-Confirmation': id })).status === 201;
}

describe('S1 a script in the page’s origin', () => {
  it('S1 cannot approve a call, change where a secret goes, or make itself a client', async () => {
    const approval = await pendingApproval();
    const attempts: [string, string, unknown][] = [
      ['POST', `/api/approvals/${approval}`, { decision: 'approve' }],
      ['PUT', '/api/connectors/shop/settings', { values: { base_url: 'https://evil.test' } }],
      ['POST', '/api/mcp/clients', CLIENT],
    ];
    for (const [method, place, body] of attempts)
      expect(await send(method, place, body)).toMatchObject({ status: 428, code: 'confirmation_required' });
    const { approvals } = (await (await world.forge.call('GET', '/api/approvals')).json()) as {
      approvals: { id: string }[];
    };
    expect(approvals.map(({ id }) => id)).toContain(approval);
    expect(await clients()).toEqual([]);
    const settings = await (await world.forge.call('GET', '/api/connectors/shop/settings')).text();
    expect(settings).toContain('https://shop.acme.test');
  });

  it.each([
    ['POST', '/api/approvals/standing', { tool_id: 'shop.wipe', max_uses: 100 }],
    ['POST', '/api/connectors/install-local', { yaml: SHOP.replace('id: shop', 'id: evil') }],
    ['PUT', '/api/connectors/shop/manifest', { yaml: SHOP.replace('echo, wiped', 'sh') }],
    ['PUT', '/api/models', { providers: { anthropic: { base_url: 'http://127.0.0.1:9/' } } }],
    ['PUT', '/api/watches/channels', { values: { webhook_url: 'https://evil.test/' } }],
    ['POST', '/api/browsers/inspect', { host_match: 'https://bank.test/*', action: { kind: 'outline' } }],
    ['POST', '/api/demo', undefined],
    ['POST', '/api/secrets/rotate', undefined],
    ['DELETE', '/api/ssh/known-hosts/host.test', undefined],
    ['DELETE', '/api/connectors/shop?settings=delete', undefined],
  ] as const)('S1 %s %s does nothing without a person', async (method, place, body) => {
    const { status, code } = await send(method, place, body);
    // Either it waits for a person, or it was not even a request that could be made.
    expect([428, 400]).toContain(status);
    expect(['confirmation_required', 'invalid_request']).toContain(code);
  });

  it('S1 cannot act as an MCP client, whose form would approve its own calls', async () => {
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    expect((await send('POST', '/mcp', hello)).status).toBe(401);
    expect((await send('GET', '/mcp')).status).toBe(401);
  });

  it('S1 cannot answer the question itself: by fetch, no-cors, beacon, XMLHttpRequest or a form', async () => {
    const { confirmation: id, url } = await send('POST', '/api/mcp/clients', CLIENT);
    await world.page.evaluate(async (target) => {
      const body = '{"decision":"confirmed"}';
      const json = { 'Content-Type': 'application/json' };
      await fetch(target, { method: 'POST', body, headers: json }).catch(() => null);
      await fetch(target, { method: 'POST', body, mode: 'no-cors' }).catch(() => null);
      await fetch(target, { method: 'POST', body, mode: 'no-cors', credentials: 'include' }).catch(() => null);
      await fetch(new URL(target).pathname, { method: 'POST', body, headers: json }).catch(() => null);
      navigator.sendBeacon(target, new Blob([body], { type: 'text/plain' }));
      await new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open('POST', target);
        request.onloadend = resolve;
        request.send(body);
      });
      const form = document.createElement('form');
      form.method = 'post';
      form.action = target;
      form.enctype = 'text/plain';
      form.target = 'somewhere';
      form.innerHTML = `<input name='{"decision":"confirmed","x":"' value='"}'>`;
      document.body.append(form);
      form.submit();
    }, url);
    expect(await isConfirmed(id)).toBe(false);
  });

  it('S1 cannot read the question, script its frame, or send it keys and clicks of its own making', async () => {
    const { id } = await framed('');
    const reached = await world.page.evaluate(() => {
      const frame = document.querySelector<HTMLIFrameElement>('#bait')!;
      const tries = [
        () => frame.contentDocument!.title,
        () => frame.contentWindow!.document.title,
        () => (frame.contentWindow as unknown as { confirm: unknown }).confirm,
        () => (frame.contentWindow as unknown as { eval(code: string): unknown }).eval('1'),
      ];
      for (const type of ['click', 'pointerdown', 'pointerup', 'keydown'])
        frame.dispatchEvent(new MouseEvent(type, { bubbles: true }));
      frame.contentWindow!.postMessage({ forge: 'confirmation', outcome: 'confirmed' }, '*');
      return tries.map((attempt) => {
        try {
          return String(attempt());
        } catch (error) {
          return (error as Error).name;
        }
      });
    });
    expect(reached.every((name) => name === 'SecurityError' || name === 'TypeError')).toBe(true);
    // Even in the frame's own world, a click that no person has made is none.
    await bait().evaluate(() => document.querySelector<HTMLButtonElement>('#confirm')!.click());
    expect(await isConfirmed(id)).toBe(false);
  });

  it('S1 cannot run a script in the frame by navigating it', async () => {
    const { id } = await framed('');
    await world.page.evaluate(() => {
      const frame = document.querySelector<HTMLIFrameElement>('#bait')!;
      const attack = `fetch(location.pathname,{method:'POST',headers:{'Content-Type':'application/json'},body:'{"decision":"confirmed"}'})`;
      for (const target of [`javascript:${attack}`, `data:text/html,<script>${attack}</script>`]) {
        try {
          frame.src = target;
        } catch {
          // Refused, which is what is hoped for.
        }
      }
    });
    expect(await isConfirmed(id)).toBe(false);
  });

  it.each([
    ['transparent', 'opacity:0', ''],
    ['almost transparent', 'opacity:0.02', ''],
    ['made unreadable by a filter', 'filter:blur(8px)', ''],
    ['turned and shrunk', 'transform:scale(0.4) rotate(3deg)', ''],
    ['below something that lets clicks through', '', 'top:40px;width:500px;height:250px'],
    ['below something that hides its question only', '', 'top:40px;width:500px;height:50px'],
    ['below something transparent to the eye of a machine', '', 'top:40px;width:500px;height:250px;opacity:0.99'],
    ['cut down to its button', 'clip-path:inset(250px 0 0 0)', ''],
    ['blended away', 'mix-blend-mode:difference', ''],
    ['too small to be read', 'width:200px;height:90px', ''],
  ])('S1 a frame that is %s cannot be confirmed by a person who does not see it', async (_title, style, cover) => {
    const { id } = await framed(style, cover);
    await pressBlindly();
    expect(await isConfirmed(id)).toBe(false);
  });

  it('S1 a frame that is moved under the pointer at the last moment does not take the click', async () => {
    const { id } = await framed('');
    const box = (await bait().locator('#confirm').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await world.page.mouse.move(box.x + box.width / 2, box.y - 60);
    await world.page.mouse.move(box.x + box.width / 2, box.y - 61);
    await restIn(world.page);
    await restIn(world.page);
    await world.page.evaluate(() => (document.querySelector<HTMLIFrameElement>('#bait')!.style.top = '-36px'));
    const moved = (await bait().locator('#confirm').boundingBox()) ?? box;
    await world.page.mouse.click(moved.x + moved.width / 2, moved.y + moved.height / 2);
    expect(await isConfirmed(id)).toBe(false);
  });

  it('S1 keys that were meant for something else confirm nothing', async () => {
    const { id } = await framed('');
    await world.page.evaluate(() => document.querySelector<HTMLIFrameElement>('#bait')!.focus());
    for (const key of ['Enter', 'Space', 'Enter', 'Enter']) await world.page.keyboard.press(key);
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter']) await world.page.keyboard.press(key);
    expect(await isConfirmed(id)).toBe(false);
  });

  it('S1 cannot use a window of its own making either, nor what it says', async () => {
    const { confirmation: id, url } = await send('POST', '/api/mcp/clients', CLIENT);
    const opening = world.page.waitForEvent('popup');
    await world.page.evaluate((target) => void window.open(target, 'q', 'width=120,height=100'), url);
    const popup = await opening;
    await popup.waitForURL(url);
    await popup.evaluate(() => document.querySelector<HTMLButtonElement>('#confirm')!.click());
    expect(await world.page.evaluate(() => window.open('', 'q')?.document.title ?? 'none')).not.toBe(
      'Confirm in Forge',
    );
    expect(await isConfirmed(id)).toBe(false);
  });

  it('S1 gets what a person has confirmed and nothing else: not twice, not with another body, not in another session', async () => {
    const { id } = await framed('');
    await confirmIn(bait());
    await expect
      .poll(() => bait().evaluate(async () => (await fetch(`${location.pathname}/state`)).text()))
      .toContain('confirmed');
    const used = { 'X-Forge-Confirmation': id };
    expect((await send('POST', '/api/mcp/clients', { name: 'other' }, used)).status).toBe(403);
    expect((await send('POST', '/api/mcp/clients?x=1', CLIENT, used)).status).toBe(403);
    expect((await send('PUT', '/api/models', {}, used)).status).toBe(403);
    const other = await world.signIn();
    expect((await sendAsScript(other, 'POST', '/api/mcp/clients', CLIENT, used)).status).toBe(403);
    expect((await send('POST', '/api/mcp/clients', CLIENT, used)).status).toBe(201);
    expect((await send('POST', '/api/mcp/clients', CLIENT, used)).status).toBe(403);
    await world.forge.call('DELETE', '/api/mcp/clients/evil');
  });

  it('S1 cannot move the page to the name that confirmations have', async () => {
    const { port } = new URL(world.forge.url);
    await world.page.goto(`http://localhost:${port}/settings/connectors`);
    expect(world.page.url()).toBe(`${world.forge.url}/settings/connectors`);
    await world.page.getByRole('heading', { name: 'Connectors' }).waitFor();
    const here = await world.page.context().newPage();
    const answer = await here.goto(`http://localhost:${port}/confirm/${'0'.repeat(32)}`);
    expect(answer?.status()).toBe(404);
    expect(await here.evaluate(() => document.cookie + JSON.stringify(localStorage))).toBe('{}');
  });
});
