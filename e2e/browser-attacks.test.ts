import { createServer } from 'node:http';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';

let world: BrowserWorld;
let page: Page;
let attacker: { url: string; close: () => void };

/** A page on another port of this computer, which browsers count as the same site. */
async function startAttacker(): Promise<typeof attacker> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>attacker</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `127.0.0.1:${port}`, close: () => server.close() };
}

const SHELL = `
id: canary
name: Canary
version: "1.0.0"
tools:
  touch: { protocol: shell, command: [echo, ran] }
`;

beforeAll(async () => {
  world = await startBrowserWorld();
  attacker = await startAttacker();
  await world.install('canary', SHELL);
  page = await world.browser.context.newPage();
  // The person is logged in to Forge's own page in the same browser.
  await page.goto(world.forge.loginLink);
  await page.waitForLoadState('networkidle');
}, 120_000);

afterAll(async () => {
  attacker.close();
  await world.close();
});

async function routes(): Promise<{ method: string; path: string }[]> {
  const document = (await (await world.forge.call('GET', '/api/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'canary.touch'),
    })),
  );
}

describe.each([
  ['another port of this computer', () => `http://${attacker.url}/`],
  ['the same port under another name', () => `http://localhost:${attacker.url.split(':')[1]}/`],
])('K-54 a page on %s', (_, address) => {
  it('reads nothing and changes nothing, by whatever kind of request', async () => {
    const before = JSON.stringify(await state());
    await page.goto(address());
    const list = await routes();
    expect(list.length).toBeGreaterThan(20);
    const read = await page.evaluate(attack, { base: world.forge.url, routes: list });
    expect(read).toEqual([]);
    expect(JSON.stringify(await state())).toBe(before);
  });

  it('gets no socket to the bridge', async () => {
    await page.goto(address());
    const opened = await page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => resolve('open');
          socket.onerror = () => resolve('refused');
        }),
      `${world.forge.url.replace('http', 'ws')}/bridge`,
    );
    expect(opened).toBe('refused');
  });
});

/** Runs in the attacking page. What it returns is what it could read. */
async function attack(target: { base: string; routes: { method: string; path: string }[] }): Promise<string[]> {
  const read: string[] = [];
  for (const { method, path } of target.routes) {
    const body = method === 'GET' ? null : '{"args":{},"yaml":"","values":{}}';
    const kinds: RequestInit[] = [
      { credentials: 'include', headers: { 'Content-Type': 'application/json' } },
      { credentials: 'include', headers: { 'Content-Type': 'text/plain' } },
      { credentials: 'include', mode: 'no-cors' },
    ];
    for (const init of kinds) {
      try {
        const response = await fetch(target.base + path, { method, ...(body === null ? {} : { body }), ...init });
        if (response.type !== 'opaque') read.push(`${method} ${path} ${response.status}`);
      } catch {
        // Refused by the browser, as it should be.
      }
    }
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.enctype = 'text/plain';
  form.action = `${target.base}/api/tools/canary.touch/call`;
  form.target = 'hidden';
  const frame = document.createElement('iframe');
  frame.name = 'hidden';
  document.body.append(frame, form);
  const answered = new Promise((resolve) => frame.addEventListener('load', resolve));
  form.submit();
  await answered;
  return read;
}

/** Everything an attack could have changed. */
async function state(): Promise<unknown[]> {
  const get = async (place: string) => (await world.forge.call('GET', place)).json();
  const { calls } = (await get('/api/calls')) as { calls: unknown[] };
  return [
    calls.length,
    await get('/api/connectors'),
    await get('/api/connectors/canary/settings'),
    await get('/api/approvals'),
  ];
}
