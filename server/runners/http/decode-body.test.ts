import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody } from './decode-body.ts';
import { testRunner } from './testing/runner.ts';
import { httpServer } from './testing/servers.ts';

const TEXT = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}` })));
const LARGE = Buffer.alloc(2 * 1024 * 1024, TEXT);
const MIB = 1024 * 1024;

const sending = (body: Buffer, encoding: string) =>
  httpServer((_request, response) => response.setHeader('content-encoding', encoding).end(body));

describe('content encodings', () => {
  it.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['GZIP', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['identity', (body) => body],
    ['gzip, br', (body) => zlib.brotliCompressSync(zlib.gzipSync(body))],
  ])('%s is taken off, from small answers and large ones', async (encoding, encode) => {
    for (const body of [Buffer.from(TEXT), LARGE]) {
      const server = await sending(encode(body), encoding);
      const response = await testRunner().run(server.origin);
      expect(response.body.equals(body)).toBe(true);
      expect(Object.keys(response.headers)).not.toContain('content-encoding');
      expect(Object.keys(response.headers)).not.toContain('content-length');
    }
  });

  it('an unknown one is left on, and the header with it', async () => {
    const server = await sending(Buffer.from('(zstd)'), 'zstd');
    const response = await testRunner().run(server.origin);
    expect(response.body.toString()).toBe('(zstd)');
    expect(response.headers).toMatchObject({ 'content-encoding': 'zstd', 'content-length': '6' });
  });

  it.each([
    ['gzip', zlib.gzipSync(TEXT).subarray(0, 60), 'upstream_closed'],
    ['br', zlib.brotliCompressSync(TEXT).subarray(0, 60), 'upstream_closed'],
    ['gzip', Buffer.from('this is not gzip'), 'upstream_error'],
    ['br', Buffer.from('this is not brotli'), 'upstream_error'],
    ['deflate', Buffer.from('this is not deflate'), 'upstream_error'],
    ['gzip, gzip, gzip, gzip', Buffer.from('x'), 'upstream_error'],
  ])('%s that cannot be decoded is told, not passed on (%#)', async (encoding, body, code) => {
    const server = await sending(body, encoding);
    expect((await testRunner().fail(server.origin)).code).toBe(code);
  });
});

describe('a bomb', () => {
  // 400 MiB of zeros in 400 gzip members, which decode as one.
  const member = zlib.gzipSync(Buffer.alloc(MIB));
  const gzipBomb = Buffer.concat(Array.from({ length: 400 }, () => member));

  it.each([
    ['gzip', gzipBomb],
    ['br', zlib.brotliCompressSync(Buffer.alloc(100 * MIB))],
    ['deflate', zlib.deflateSync(Buffer.alloc(100 * MIB))],
    ['gzip, gzip', zlib.gzipSync(gzipBomb)],
  ])('of %s is stopped at the limit and does not grow the memory', async (encoding, body) => {
    const server = await sending(body, encoding);
    const runner = testRunner({ maxResponseBytes: 4 * MIB });
    let peak = 0;
    const before = process.memoryUsage().arrayBuffers;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)), 1);
    const error = await runner.fail(server.origin);
    clearInterval(watch);
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    expect([error.code, error.message]).toEqual(['response_too_large', expect.stringContaining('larger than 4 MiB')]);
    expect(peak).toBeLessThan(40 * MIB);
  });

  it('stays within a limit that is smaller than what is decoded on the spot', async () => {
    const body = zlib.gzipSync(Buffer.alloc(2000));
    await expect(decodeBody({ host: 'a.test', body, encoding: 'gzip', maxBytes: 1999 })).rejects.toMatchObject({
      code: 'response_too_large',
    });
    expect(await decodeBody({ host: 'a.test', body, encoding: 'gzip', maxBytes: 2000 })).toHaveLength(2000);
  });
});
