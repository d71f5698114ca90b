import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

const ends: (() => void)[] = [];
let forge: ForgeProcess;
let shape: Buffer;

/** About nine megabytes in each of the shapes that a service may choose. */
const SHAPES: Record<string, () => string> = {
  'a list of numbers': () => JSON.stringify(Array.from({ length: 1_200_000 }, (_, n) => n * 7)),
  'many names': () =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`a_longer_name_${n}`, n]))),
  'escapes in every text': () => JSON.stringify(Array.from({ length: 300_000 }, (_, n) => `"${n}"\n\u0001`)),
  'one level in another': () => JSON.stringify(Array.from({ length: 40_000 }, () => nested(12))),
};

function nested(depth: number): unknown {
  return depth === 0 ? 'x'.repeat(80) : { a: nested(depth - 1) };
}

beforeAll(async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(shape);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => void server.close());
  forge = await startForgeProcess(
    tempFolder((end) => ends.push(end)),
    {},
    (end) => ends.push(end),
  );
  const secrets = Array.from({ length: 500 }, (_, n) => `secret_${n}`);
  const yaml = `id: large
name: Large
version: "1.0.0"
description: Answers of any size, as a service may give them.
settings:
  base_url: { required: true }
${secrets.map((name) => `  ${name}: { type: secret }`).join('\n')}
tools:
  rows: { protocol: http, description: Rows., request: { url: '{base_url}/rows' } }
`;
  expect((await forge.call('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const values = { base_url, ...Object.fromEntries(secrets.map((name, n) => [name, `sAved-${n}-${'x7Q'.repeat(8)}`])) };
  expect((await forge.call('PUT', '/api/connectors/large/settings', { values })).status).toBe(200);
});
afterAll(() => {
  for (const end of ends.reverse()) end();
});

/**
 * The largest part of its time for which a request kept others from being answered. The smallest of a few tries counts: what else the
 * machine does only ever adds to it.
 */
async function heldUp(run: () => Promise<unknown>): Promise<number> {
  let smallest = 1;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const began = performance.now();
    const state = { isOver: false };
    const over = run().finally(() => (state.isOver = true));
    let longest = 0;
    let last = began;
    while (!state.isOver) {
      await (await forge.call('GET', '/api/health')).text();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
    await over;
    smallest = Math.min(smallest, longest / (performance.now() - began));
  }
  return smallest;
}

async function callRows(): Promise<string> {
  const answer = await forge.call('POST', '/api/tools/large.rows/call', { args: {} });
  const { handle } = (await answer.json()) as { handle?: string };
  if (handle === undefined) throw new Error('nothing was kept');
  return handle;
}

/** Each is another one, so that none has been seen before. */
let mark = 0;
const script = (mark: number): string => {
  const lines = Array.from({ length: 2750 }, (_, n) => `const a${n} = [${n}, ${mark}].map((v) => v + ${n});`);
  return `id: long
name: Long
version: "1.0.0"
description: A connector whose script has 55,000 tokens.
host_match: https://long.example/*
login_redirect: /login
tools:
  run: { read_only: true, description: Runs., script: |- }
`.replace('script: |- }', `script: ${JSON.stringify(`${lines.join('\n')}\nreturn 1;`)} }`);
};

describe('S13 while Forge works on it, others are answered', () => {
  it.each(Object.keys(SHAPES))('nine megabytes of JSON: %s', async (name) => {
    shape = Buffer.from(SHAPES[name]?.() ?? '');
    expect(shape.length).toBeGreaterThan(4_000_000);
    expect(await heldUp(callRows)).toBeLessThan(0.5);
  });

  it('a part of one that is not in memory as a value', async () => {
    const [first, second] = [await callRows(), await callRows()];
    const handles = [first, second];
    // Each is read after the other, so that each time all of it has to be parsed.
    const read = async (): Promise<void> => {
      const handle = handles.reverse()[0] ?? '';
      const answer = await forge.call('GET', `/api/results/${handle}?search=nothing-like-this`);
      expect(await answer.json()).toMatchObject({ kind: 'matches', total: 0 });
    };
    expect(await heldUp(read)).toBeLessThan(0.5);
  });

  it.each(['lint', 'preview', 'install-local'])('a script of 55,000 tokens: %s', async (route) => {
    const send = async (): Promise<void> => {
      const answer = await forge.call('POST', `/api/connectors/${route}`, { yaml: script((mark += 1)) });
      expect([answer.status, await answer.clone().text()]).toEqual([
        route === 'install-local' ? 201 : 200,
        expect.anything(),
      ]);
    };
    expect(await heldUp(send)).toBeLessThan(0.5);
  });
});
