import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import type { Tool } from '../../shared/manifest/connector.ts';
import { createFileStore } from '../results/files.ts';
import { createResultStore } from '../results/handles.ts';
import type { HttpResponse, Response } from '../runners/response.ts';
import { createMaskers } from '../secrets/maskers.ts';
import { maskerOf } from '../secrets/testing/masker-of.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { bundled } from '../testing/bundled.ts';
import type { Called } from './finish-response.ts';
import { createFinishResult } from './finish-result.ts';
import { createLargeResults } from './large-results.ts';

let script: URL;
beforeAll(async () => {
  script = await bundled('server/tools/large-results-thread.ts');
});
afterAll(() => rmSync(script, { force: true }));

const SECRET = 'sEcret-3f9c1b7a-value';
const ROWS = Array.from({ length: 8000 }, (_, id) => ({ id, name: `name-${id}`, text: 'x'.repeat(40) }));

const entry = (more: Partial<Tool> = {}): Called => ({
  connector: { id: 'shop' },
  package: { id: 'shop-bundle' },
  // Only what results are made by.
  tool: { protocol: 'http', name: 'list', request: { url: 'http://x.test' }, ...more } as Tool,
});

const http = (body: unknown, type = 'application/json'): HttpResponse => ({
  ...{ kind: 'http', method: 'GET', url: 'http://x.test/rows', status: 200, statusText: 'OK', redirectedTo: null },
  headers: { 'content-type': type },
  body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
});

function world() {
  const folder = tempDir();
  const large = createLargeResults(script, folder);
  if (large === null) throw new Error('the thread’s code is not there');
  onTestFinished(() => large.close());
  const files = createFileStore(folder);
  const results = createResultStore({ readLarge: large.read });
  const own = createResultStore();
  return {
    ...{ folder, large, files, results },
    finish: createFinishResult({ results, files, large }),
    finishHere: createFinishResult({ results: own, files: createFileStore(tempDir()) }),
    own,
  };
}

/** What is the same wherever a result is made: no handles and no places of files. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (_, part: unknown) =>
    part instanceof ForgeError ? [part.code, part.message, part.hint, part.details] : part,
  );
  return text
    .replaceAll(/res_[0-9a-f]{24}/g, 'res_x')
    .replaceAll(/[0-9a-f]{24}/g, 'x')
    .replaceAll(/\/[^"\\ ]*forge-[^"\\ ]*\//g, '/');
}

const shell = (stdout: string, exitCode = 0): Response => ({
  ...{ kind: 'shell', exitCode, signal: null, stdout, stderr: '', droppedBytes: 0 },
});

describe('S13 a large response', () => {
  it.each<[string, Response, Called]>([
    ['rows', http(ROWS), entry()],
    ['rows with a secret in one of them', http([...ROWS, { id: -1, name: SECRET }]), entry()],
    ['rows of which a tool wants a part', http({ page: ROWS }), entry({ items_path: 'page', response_fields: ['id'] })],
    ['an error', { ...http({ message: `no ${SECRET}`, long: ROWS }), status: 500 }, entry()],
    ['a file', http(Buffer.alloc(400_000, 7), 'application/zip'), entry()],
    ['a page', http(Buffer.from(`<p>${'y'.repeat(400_000)}</p>`), 'text/html'), entry()],
    ['output of a program', shell(`${'line\n'.repeat(100_000)}${SECRET}`), entry({ protocol: 'shell', command: ['seq'], ok_exit_codes: [0] })], // prettier-ignore
    ['a program that fails', shell('z'.repeat(400_000), 3), entry({ protocol: 'shell', command: ['seq'], ok_exit_codes: [0] })], // prettier-ignore
    ['JSON of a script', { kind: 'browser', url: 'http://x.test', text: JSON.stringify(ROWS), timings: {} }, entry({ protocol: 'browser' })], // prettier-ignore
    ['a small answer', http({ ok: true }), entry()],
  ])('comes to the same in the thread as here: %s', async (_, response, called) => {
    const { finish, finishHere } = world();
    const masker = maskerOf(SECRET);
    const there = await finish(called, response, masker);
    const here = await finishHere(called, response, masker);
    expect(comparable(there)).toEqual(comparable(here));
    expect(JSON.stringify(there)).not.toContain(SECRET);
    if (there.ok && here.ok) expect(comparable(there.text())).toEqual(comparable(here.text()));
  });

  it('leaves the event loop free meanwhile', async () => {
    const { finish } = world();
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const finishing = finish(entry(), http(Array.from({ length: 12 }, () => ROWS)), maskerOf(SECRET));
    expect(finishing).toBeInstanceOf(Promise);
    const atStart = turns;
    await finishing;
    isOver = true;
    expect(turns - atStart).toBeGreaterThan(10);
  });

  it('is kept under its handle: pages, searches and limits are the same as of a small one', async () => {
    const { finish, finishHere, results, own } = world();
    const [there, here] = [
      await finish(entry(), http(ROWS), maskerOf(SECRET)),
      await finishHere(entry(), http(ROWS), maskerOf(SECRET)),
    ];
    if (!there.ok || !here.ok || there.handle === undefined || here.handle === undefined) throw new Error('not cut');
    const { handle } = there;
    expect(results.originOf(handle)).toEqual(['shop', 'shop-bundle']);
    expect(results.get(handle)).toEqual(ROWS);
    for (const window of [{}, { offset: 7990, limit: 20 }, { path: '[3].name' }, { search: 'name-77' }])
      expect(await results.read(handle, window)).toEqual(own.read(here.handle, window));
    await expect(results.read(handle, { path: 'a[' })).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('Write it as'),
    });
    expect(() => results.read('res_000000000000000000000000')).toThrow('no longer kept');
  });

  it('saves its file where every other one is, and says where it came from', async () => {
    const { finish, files } = world();
    const bytes = Buffer.concat([Buffer.alloc(300_000, 1), Buffer.from(SECRET)]);
    const done = await finish(entry(), http(bytes, 'application/zip'), maskerOf(SECRET));
    if (!done.ok) throw done.error;
    const { file_url, path } = done.result as { file_url: string; path: string };
    const id = file_url.split('/').at(-1) ?? '';
    expect(files.originOf(id)).toEqual(['shop', 'shop-bundle']);
    expect(files.find(id)).toMatchObject({ path });
    expect(readFileSync(path, 'latin1')).not.toContain(SECRET);
  });

  it('S5 masks words beyond the limit of guesses in the thread as well', async () => {
    const { finish } = world();
    const secrets = createMaskers();
    secrets.learn('shop', '4711-8');
    const shop = secrets.connector('shop');
    const guesses = Array.from({ length: 150 }, (_, n) => `${1000 + n}-8`);
    const { received } = shop.ofCall({ guesses }, []);
    const done = await finish(entry(), http({ guesses, rows: ROWS }), received);
    if (!done.ok || done.handle === undefined) throw new Error('not cut');
    expect(done.json).not.toContain('1000-8');
  });

  it('goes on after the thread has ended, and answers an error while it ends', async () => {
    const { large, finish } = world();
    const masker = maskerOf(SECRET);
    expect(await finish(entry(), http(ROWS), masker)).toMatchObject({ ok: true });
    large.close();
    expect(await finish(entry(), http(ROWS), masker)).toMatchObject({ ok: true });
  });
});
