import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from '../testing/browser-world.ts';

/** What a page may do before any tool comes; each is a page of its own. */
const PAGES: Record<string, string> = {
  stringify: 'JSON.stringify = () => "\\"stolen\\""; JSON.parse = () => "stolen"',
  json: 'Object.defineProperty(window, "JSON", { value: new Proxy(JSON, { get: () => () => "\\"stolen\\"" }) })',
  promise: 'Promise = class { then(ok) { ok("stolen") } }',
  then: 'const { then } = Promise.prototype; Promise.prototype.then = function (ok, no) { return then.call(this, () => ok("stolen"), no) }',
  arrays:
    'for (const name of Object.getOwnPropertyNames(Array.prototype)) if (typeof Array.prototype[name] === "function" && name !== "constructor") Array.prototype[name] = () => "stolen"; Array.isArray = () => false',
  functions: 'for (const name of ["call", "apply", "bind", "toString"]) Function.prototype[name] = () => "stolen"',
  objects:
    'Object.keys = Object.entries = Object.assign = () => ["stolen"]; Object.hasOwn = () => false; Reflect = null',
  inherited: 'Object.prototype.stolen = "stolen"; Array.prototype[0] = "stolen"; Object.prototype.length = 1',
  lists: 'Array.prototype.toJSON = String.prototype.toJSON = () => "stolen"',
  clone: 'structuredClone = () => "stolen"; performance.now = () => NaN',
};

const NOTICED: Record<string, string> = {
  tojson: 'Object.prototype.toJSON = () => "stolen"',
  getter: `const { then } = Promise.prototype;
    Object.defineProperty(Promise.prototype, 'constructor', { get: () => class {} });
    Promise.prototype.then = function (ok, no) { return then.call(this, () => ok("stolen"), no) };`,
  species: `const { then } = Promise.prototype;
    class Thief extends Promise { constructor(work) { super((ok, no) => work(() => ok("stolen"), no)) } }
    Promise.prototype.constructor = Thief;
    Promise.prototype.then = function (ok, no) { return then.call(this, () => ok("stolen"), no) };`,
};

/** Looks for what tools leave behind, all the time, and puts something else in its place. */
const LURKING = `window.found = [];
  window.number = 0;
  window.next = (waits) => waits ? new Promise((ok) => setTimeout(() => ok(++number), 200)) : ++number;
  const known = new Set(Reflect.ownKeys(window));
  const look = () => {
    for (const key of Reflect.ownKeys(window)) if (!known.has(key)) {
      known.add(key);
      window.found.push(String(key));
      window[key] = Promise.resolve("stolen");
    }
  };
  setInterval(look, 0);
  window.addEventListener('message', () => { look(); postMessage(0) });
  postMessage(0);`;

const VALUE = { list: [1, 'two\n', null], more: { yes: true } };
const SCRIPT = `return ${JSON.stringify(VALUE)}`;

const manifest = (name: string): string => `
id: ${name}
name: Pages
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/${name}"
tools:
  quick: { page: { url: "{base_url}/${name}", on_target: ${name} }, script: ${JSON.stringify(SCRIPT)} }
  late: { page: { url: "{base_url}/${name}", on_target: ${name} }, script: ${JSON.stringify(`await 0; ${SCRIPT}`)} }
  apart: { runner: isolated, page: { url: "{base_url}/${name}", on_target: ${name} }, script: ${JSON.stringify(`await 0; ${SCRIPT}`)} }
  next: { parameters: { waits: { type: boolean } }, page: { url: "{base_url}/${name}", on_target: ${name} }, script: "return next(args.waits)" }
`;

let world: BrowserWorld;
let origin: string;
const server = createServer((request, response) => {
  const name = (request.url ?? '').slice(1);
  response.setHeader('Content-Type', 'text/html');
  response.end(`<!doctype html><title>x</title><script>{${PAGES[name] ?? NOTICED[name] ?? LURKING}}</script>`);
});

beforeAll(async () => {
  world = await startBrowserWorld();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 120_000);

afterAll(async () => {
  await world.close();
  server.close();
});

async function install(name: string): Promise<void> {
  const installed = await world.forge.call('POST', '/api/connectors/install-local', { yaml: manifest(name) });
  if (!installed.ok) throw new Error(await installed.text());
  await world.forge.call('PUT', `/api/connectors/${name}/settings`, { values: { base_url: origin } });
}

describe('S15 a page cannot change what a script in its own world returns', () => {
  it.each(Object.keys(PAGES))('by %s', async (name) => {
    await install(name);
    for (const tool of ['quick', 'quick', 'late', 'apart'])
      expect([tool, await world.call(`${name}.${tool}`)]).toMatchObject([tool, { ok: true, result: VALUE }]);
  });

  it.each(Object.keys(NOTICED))('and where it could, that is noticed: %s', async (name) => {
    await install(name);
    expect(await world.call(`${name}.late`)).toMatchObject({ ok: false, error: { code: 'page_interferes' } });
    expect(await world.call(`${name}.apart`)).toMatchObject({ ok: true, result: VALUE });
  });

  it('by lying in wait for what a run leaves in the page while it waits', async () => {
    await install('lurking');
    const call = (waits: boolean) => world.call('lurking.next', { waits });
    // Known to be quick from the first on, they go to the page together.
    expect(await call(false)).toMatchObject({ ok: true, result: 1 });
    const answers = await Promise.all([false, false, false, false, false, true, false, true].map(call));
    const results = answers.map(({ result }) => result);
    expect(results.toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const [page] = world.browser.context.pages().filter((one) => one.url().endsWith('/lurking'));
    expect(await page?.evaluate('found')).toEqual([]);
  });
});
