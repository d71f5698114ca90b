import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../runners/job.ts';
import { withCsrf } from '../run-with-session.ts';
import { createOpenFiles } from './open-files.ts';
import { packageOf, toolOf } from '../testing/package.ts';
import { encodeMultipart } from './multipart.ts';

const NAMES = ['plain', 'a"b', 'a\r\nX-Evil: 1', '"; filename="x', 'ü€', '\r\n\r\nbody', ''];

/** Another reader of forms than the writer's author. */
function read(type: string, body: Uint8Array): Promise<FormData> {
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': type } });
  // oxlint-disable-next-line typescript/no-deprecated -- it is discouraged for servers, and this is a test
  return response.formData();
}

describe('forms with files', () => {
  it.each(NAMES)('are read back as they were written, whatever a field is called: %j', async (name) => {
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255]);
    const file = { name, filename: name === '' ? 'f' : name, contentType: 'image/png\r\nX: y', bytes };
    const { type, bytes: body } = encodeMultipart([file, { name: 'last', text: 'a\r\nb' }]);
    const form = await read(type, body);
    expect([...form.keys()]).toEqual([name, 'last']);
    const sent = form.get(name);
    if (!(sent instanceof File)) throw new Error('not a file');
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(bytes);
    expect(form.get('last')).toBe('a\r\nb');
  });

  it('take the token of a session as their last field', async () => {
    const { type, bytes: payload } = encodeMultipart([{ name: 'a', text: '1' }]);
    const job: HttpRequest = {
      ...{
        protocol: 'http',
        method: 'POST',
        url: 'http://x.test/',
        headers: { 'content-type': type },
        body: null,
        payload,
      },
      ...{ timeoutMs: 1, verifyTls: true, hostFrom: 'person', followRedirects: true, captureHeaders: [] },
    };
    const ready = withCsrf(job, { source: { captured: 't' }, place: 'form', name: 'token' }, 'abc');
    const form = await read(type, ready.payload!);
    expect([...form]).toEqual([
      ['a', '1'],
      ['token', 'abc'],
    ]);
    const raw = { ...job, headers: { 'content-type': 'image/png' } };
    expect(() => withCsrf(raw, { source: { captured: 't' }, place: 'form', name: 'token' }, 'abc')).toThrow(
      'has no form',
    );
  });
});

describe('whose results a caller may send on', () => {
  const pack = packageOf(
    `tools: { t: { protocol: http, parameters: { f: { type: file } }, request: { method: PUT, url: 'https://a.test', body: '{args.f}' } } }`,
  );
  const open = createOpenFiles({
    ...{ folders: [], dataDir: '/nowhere' },
    results: { jsonOf: () => Buffer.from('"text"'), bytesOf: () => 6, originOf: () => ['mail'] },
    files: { find: () => null, originOf: () => ['mail'] },
  });

  it.each([
    [undefined, true],
    [{ connectors: ['mail'], readOnly: false }, true],
    [{ connectors: ['demo'], readOnly: false }, false],
  ])('with the limits %j', async (limits, mayRead) => {
    const opened = open(toolOf(pack), { f: 'res_1' }, { limits, reads: true });
    if (mayRead) expect((await opened).files.get('f')).toMatchObject({ source: 'res_1', size: 4, asks: false });
    else await expect(opened).rejects.toThrow('is not kept');
  });
});
