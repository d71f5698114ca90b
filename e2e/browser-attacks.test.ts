import { createServer } from 'node:http';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';
import { confirmAlways } from './testing/confirm.ts';

interface Route {
  method: string;
  path: string;
}

let world: BrowserWorld;
let page: Page;
let attacker: { port: number; close: () => void };
let routes: Route[];

/** A page on another port of this computer, which browsers count as the same site. */
async function startAttacker(): Promise<typeof attacker> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>attacker</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, close: () => server.close() };
}

const SHELL = `
id: canary
name: Canary
version: "1.0.0"
tools:
  touch: { protocol: shell, command: [echo, ran] }
  remove: { protocol: shell, command: [echo, removed], destructive: true }
`;

const FOREIGN = 'evil.test';

beforeAll(async () => {
  world = await startBrowserWorld({ args: [`--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1`] });
  attacker = await startAttacker();
  await world.install('canary', SHELL);
  routes = await allRoutes(await realThings());
  page = await world.browser.context.newPage();
  // The person is logged in to Forge's own page in the same browser.
  confirmAlways(page);
  await page.goto(await world.forge.newLoginLink());
  // It never comes to rest: a page that is signed in listens to events.
  await page.getByRole('navigation').first().waitFor();
}, 120_000);

afterAll(async () => {
  attacker.close();
  await world.close();
});

/** Something of each kind to steal or to change, by how the addresses of its kind begin. */
async function realThings(): Promise<[prefix: string, id: string][]> {
  const make = async (path: string, body?: unknown) =>
    (await (await world.forge.call(body === undefined ? 'GET' : 'POST', path, body)).json()) as Record<string, unknown>;
  const call = await make('/api/tools/canary.touch/call', { args: {} });
  const asked = await make('/api/tools/canary.remove/call', { args: {} });
  const standing = await make('/api/approvals/standing', { tool_id: 'canary.remove', max_uses: 1 });
  const session = await make('/api/chat/sessions', { title: 'Mine' });
  const client = (await make('/api/mcp/clients', { name: 'editor' }))['client'] as { id: string };
  const [browser] = (await make('/api/browsers'))['browsers'] as { id: string }[];
  const things: [string, unknown][] = [
    ['/api/connectors/marketplace/', 'jira'],
    ['/api/connectors/', 'canary'],
    ['/api/tools/', 'canary.touch'],
    ['/api/calls/', call['call_id']],
    ['/api/approvals/standing/', standing['id']],
    ['/api/approvals/', asked['approval_id']],
    ['/api/chat/sessions/', session['id']],
    ['/api/mcp/clients/', client.id],
    ['/api/browsers/', browser?.id],
  ];
  for (const [prefix, id] of things) if (typeof id !== 'string') throw new Error(`there is nothing below ${prefix}`);
  return things as [string, string][]; // checked in the line above
}

async function allRoutes(things: [prefix: string, id: string][]): Promise<Route[]> {
  const document = (await (await world.forge.call('GET', '/api/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const filled = (path: string): string => {
    const [, id = 'canary'] = things.find(([prefix]) => path.startsWith(`${prefix}{`)) ?? [];
    return path.replaceAll(/\{\w+\}/g, id);
  };
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: filled(path) })),
  );
  return [...described, { method: 'GET', path: '/bridge' }, { method: 'GET', path: '/' }];
}

/** What Forge's own page can read of everything that stays as it is while nobody does anything. */
async function state(): Promise<Map<string, string>> {
  const read = async (): Promise<Map<string, string>> => {
    const texts = new Map<string, string>();
    for (const { method, path } of routes) {
      // A stream has no end.
      if (method !== 'GET' || path.endsWith('/events') || path === '/mcp' || path === '/bridge') continue;
      const response = await world.forge.call(method, path);
      // Forge reads its registry and looks at its runtimes by itself, and browsers report when they were last there.
      const text = (await response.text()).replaceAll(/"(fetched_at|checked_at|last_seen_at)":"[^"]*"/g, '');
      texts.set(path, `${response.status} ${text}`);
    }
    return texts;
  };
  const [once, again] = [await read(), await read()];
  return new Map([...once].filter(([path, text]) => again.get(path) === text));
}

describe.each([
  ['another port of this computer', () => `http://127.0.0.1:${attacker.port}/`],
  ['the same port under another name', () => `http://localhost:${attacker.port}/`],
  ['a foreign site', () => `http://${FOREIGN}:${attacker.port}/`],
])('K-54 a page on %s', (_, address) => {
  it('reads nothing and changes nothing, by whatever kind of request', async () => {
    const before = await state();
    for (const path of ['/api/connectors', '/api/browsers', '/api/approvals', '/api/calls', '/api/chat/sessions'])
      expect([...before.keys()]).toContain(path);
    await page.goto(address());
    const read = await page.evaluate(attack, { base: world.forge.url, routes });
    expect(read).toEqual([]);
    const after = await state();
    for (const [path, text] of before) expect(`${path} ${after.get(path) ?? 'has changed'}`).toBe(`${path} ${text}`);
  });

  it('gets no socket to the bridge, nor to any other address', async () => {
    await page.goto(address());
    const paths = [...new Set(routes.map(({ path }) => path))];
    const ends = await page.evaluate(openSockets, { base: world.forge.url.replace('http', 'ws'), paths });
    expect(ends).toHaveLength(paths.length);
    expect(ends.filter((end) => !end.endsWith(' refused'))).toEqual([]);
  });
});

it('K-54 a foreign name that leads to Forge itself opens nothing', async () => {
  const { port } = new URL(world.forge.url);
  const answer = await page.goto(`http://${FOREIGN}:${port}/`);
  expect(answer?.status()).toBeGreaterThanOrEqual(400);
  const statuses = await page.evaluate(
    async (paths) => {
      const answers = await Promise.all(paths.map((path) => fetch(path)));
      return answers.filter(({ ok }) => ok).map(({ url }) => url);
    },
    ['/api/health', '/api/connectors', '/api/browsers', '/api/openapi.json', '/metrics'],
  );
  expect(statuses).toEqual([]);
});

/** Runs in the attacking page. What it returns is what it could read. */
async function attack(target: { base: string; routes: Route[] }): Promise<string[]> {
  const read: string[] = [];
  for (const { method, path } of target.routes) {
    const body = method === 'GET' ? null : '{"args":{},"yaml":"","values":{},"decision":"approve"}';
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

/** Runs in the attacking page, and says what became of a socket to each address. */
function openSockets({ base, paths }: { base: string; paths: string[] }): Promise<string[]> {
  const open = (path: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(base + path);
      socket.onopen = () => resolve(`${path} open`);
      socket.onerror = () => resolve(`${path} refused`);
    });
  return Promise.all(paths.map(open));
}
