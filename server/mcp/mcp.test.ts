import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { install } from '../testing/demo-calls.ts';
import { manifest, tempFolder, testForge, type TestForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';
import { json, upstream } from '../testing/upstream.ts';
import { connectClient, ERAS, textOf } from './testing/client.ts';

/** Commands that are slow, talk while they run, or print a lot. */
const SHELL = `id: slow
name: Slow
version: "1.0.0"
description: Commands that take their time, for tests.
tools:
  talk: { protocol: shell, description: Talk., parameters: { heard: { required: true } }, command: [sh, -c, 'for n in one two three; do echo $n; until [ -e "$0/$n" ]; do sleep 0.02; done; done', '{args.heard}'] }
  wait: { protocol: shell, description: Says which process it is and waits., command: [sh, -c, 'echo $$; exec sleep 600'] }
  many: { protocol: shell, description: Many lines., command: [seq, '1', '20000'] }
`;

const installSlow = (forge: TestForge) => forge.request('POST', '/api/connectors/install-local', { yaml: SHELL });

const lastCall = async (forge: TestForge, tool: string) =>
  (await forge.request('GET', `/api/calls?tool=${tool}&limit=1`)).body.calls[0];

describe.each(ERAS)('the official client, %s', (era) => {
  it('K-49 lists tools by the names models use, with titles, schemas and annotations', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const client = await connectClient(forge, { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['get', 'list', 'wipe', 'reach', 'fixed', 'echo', 'fail', 'page'].map((name) => `demo__${name}`),
      'forge_read_result',
    ]);
    const tool = (name: string) => tools.find((one) => one.name === name);
    expect(tool('demo__get')).toMatchObject({
      title: 'Demo: get',
      description: 'Get.',
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
    });
    expect(tool('demo__get')?.outputSchema).toBeUndefined();
    expect(tool('demo__wipe')).toMatchObject({
      description: expect.stringContaining('a person approves each call'),
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    expect(tool('demo__list')?.outputSchema).toEqual({
      type: 'object',
      properties: { result: { items: { properties: { id: {}, user: { properties: { name: {} } } } } } },
      required: ['result'],
    });
    expect(client.getInstructions()).toContain('cannot approve');
    expect(client.getServerVersion()).toMatchObject({ name: 'forge' });
  });

  it('declares what it does and nothing else', async () => {
    const client = await connectClient(await testForge(), { era });
    const { extensions: _tasks, ...capabilities } = client.getServerCapabilities() ?? {};
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: false },
      completions: {},
      ...(era === 'legacy' ? { logging: {} } : {}),
    });
  });

  it('calls a request, a command and a browser, and is named in the call log', async () => {
    const service = await upstream(json({ items: [{ id: 1, user: { name: 'Ana' }, more: 1 }] }));
    const forge = await testForge();
    await install(forge, service.url);
    const { extension } = await pairExtension(forge);
    extension.onRequest = (asked) => asked.returns({ seen: 'the page' });
    // What was read by the request may have led to the command, so a person is asked about it.
    const answer = () => ({ action: 'accept', content: { approve: true } });
    const client = await connectClient(forge, { era, name: 'Claude Desktop', answer });
    await client.listTools();
    const listed = await client.callTool({ name: 'demo__list', arguments: {} });
    expect(listed.structuredContent).toEqual({ result: [{ id: 1, user: { name: 'Ana' } }] });
    expect(JSON.parse(textOf(listed))).toEqual([{ id: 1, user: { name: 'Ana' } }]);
    expect(textOf(await client.callTool({ name: 'demo__echo', arguments: { text: 'hello' } }))).toBe('hello');
    expect(textOf(await client.callTool({ name: 'demo__page' }))).toBe('{"seen":"the page"}');
    for (const tool of ['demo.list', 'demo.echo', 'demo.page'])
      expect(await lastCall(forge, tool)).toMatchObject({ caller: 'Claude Desktop', outcome: 'ok' });
  });

  it('tells a failure with its code, its message and what to do next', async () => {
    const service = await upstream(json({ error: { message: 'no such item' } }, 404));
    const forge = await testForge();
    await install(forge, service.url);
    const client = await connectClient(forge, { era });
    const unpaired = await client.callTool({ name: 'demo__page' });
    expect(textOf(unpaired)).toMatch(/^extension_missing: /);
    const refused = await client.callTool({ name: 'demo__get', arguments: { id: '7' } });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/^upstream_error: HTTP 404 .*no such item\nRead what the service says/);
    const wrong = await client.callTool({ name: 'demo__get', arguments: { nope: 1 } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toMatch(/^invalid_argument: .*the argument id is required/);
    await expect(client.callTool({ name: 'demo__nope' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('demo__nope'),
    });
  });

  it('hands out no secret: not in a result, not in an error, not in a question', async () => {
    const service = await upstream(({ headers, method }, response) => {
      response.writeHead(method === 'GET' ? 200 : 400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: `you sent ${headers.authorization}` }));
    });
    const forge = await testForge();
    await install(forge, service.url);
    const seen: string[] = [];
    const answer = (message: string) => {
      seen.push(message);
      return { action: 'accept', content: { approve: true } };
    };
    const client = await connectClient(forge, { era, answer });
    seen.push(textOf(await client.callTool({ name: 'demo__get', arguments: { id: '7' } })));
    seen.push(textOf(await client.callTool({ name: 'demo__wipe', arguments: { id: 'canary-token-1' } })));
    await client.callTool({ name: 'demo__canary-token-1' }).catch((error: unknown) => seen.push(String(error)));
    expect(seen).toHaveLength(4);
    for (const text of seen.slice(0, 3)) expect(text).not.toContain('canary-token-1');
    expect(seen[0]).toContain('[secret]');
    // A name that the client made up is its own: a mask would tell it that this is a secret.
    expect(seen[3]).toContain('demo__canary-token-1');
  });

  it('tells how far a slow call is', async () => {
    const forge = await testForge();
    await installSlow(forge);
    const client = await connectClient(forge, { era });
    const words = ['one', 'two', 'three'];
    const heard = tempFolder();
    const seen: { progress: number; message: string }[] = [];
    // Each word is said once the one before was heard.
    const onprogress = ({ progress, message = '' }: { progress: number; message?: string | undefined }): void => {
      seen.push({ progress, message });
      if (words.includes(message)) writeFileSync(path.join(heard, message), '');
    };
    const result = await client.callTool({ name: 'slow__talk', arguments: { heard } }, { onprogress });
    expect(textOf(result)).toBe(words.join('\n'));
    // On a slow machine it is also said that the call still runs.
    expect(seen.map(({ message }) => message).filter((message) => words.includes(message))).toEqual(words);
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_, index) => index + 1));
  });

  it('stops the program of a call that is cancelled', async () => {
    const forge = await testForge();
    await installSlow(forge);
    const client = await connectClient(forge, { era });
    const stop = new AbortController();
    let pid = 0;
    const onprogress = ({ message = '' }): void => {
      pid = Number(message);
      if (pid > 0) stop.abort('no longer wanted');
    };
    const call = client.callTool({ name: 'slow__wait', arguments: {} }, { signal: stop.signal, onprogress });
    await expect(call).rejects.toThrow('no longer wanted');
    await expect.poll(() => lastCall(forge, 'slow.wait')).toMatchObject({ code: 'cancelled' });
    expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
  });

  it('reaches the tab of a call that is cancelled', async () => {
    const forge = await testForge();
    await install(forge, 'https://demo.test');
    const { extension } = await pairExtension(forge);
    const client = await connectClient(forge, { era });
    const stop = new AbortController();
    const call = client.callTool({ name: 'demo__page' }, { signal: stop.signal });
    await extension.nextAsked();
    stop.abort('no longer wanted');
    await expect(call).rejects.toThrow('no longer wanted');
    expect(await extension.nextCancelled()).toMatch(/^call_/);
  });

  it('K-50 hands over a large result as a handle, which can be paged, projected and searched', async () => {
    const forge = await testForge();
    await installSlow(forge);
    const client = await connectClient(forge, { era });
    const text = textOf(await client.callTool({ name: 'slow__many', arguments: {} }));
    expect(text.length).toBeLessThan(16_000);
    expect(text.length).toBeGreaterThan(15_700);
    const handle = /res_[0-9a-f]{24}/.exec(text)?.[0];
    const read = async (args: object) =>
      JSON.parse(textOf(await client.callTool({ name: 'forge_read_result', arguments: { handle, ...args } })));
    expect(await read({ limit: 100 })).toMatchObject({ kind: 'text', offset: 0, next_offset: 100 });
    expect(await read({ search: '19999' })).toMatchObject({ kind: 'matches', total: 1 });
    const { contents } = await client.readResource({ uri: `forge://results/${handle}` });
    expect(contents[0]).toMatchObject({ mimeType: 'application/json', text: expect.stringContaining('20000') });
    const gone = await client.callTool({ name: 'forge_read_result', arguments: { handle: 'res_nope' } });
    expect(gone.isError).toBe(true);
    expect(textOf(gone)).toMatch(/^result_not_found: /);
  });

  it('offers READMEs, the guide, and the interview that ends in a manifest', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/marketplace/git/install');
    const client = await connectClient(forge, { era });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['forge://docs/authoring', 'forge://connectors/git/readme']);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri, mimeType: 'text/markdown', text: expect.stringContaining('# ') });
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ name }) => name)).toEqual(['readme', 'result', 'file', 'watch']);
    const absent = [`forge://results/res_${'0'.repeat(24)}`, 'forge://connectors/nope/readme', 'file:///etc/passwd'];
    for (const uri of absent)
      await expect(client.readResource({ uri })).rejects.toMatchObject({
        message: expect.stringMatching(/nothing at|no longer k/),
        data: { uri },
      });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['author_connector']);
    const { messages } = await client.getPrompt({
      name: 'author_connector',
      arguments: { service: 'our Jenkins', goal: 'start builds' },
    });
    expect(JSON.stringify(messages)).toMatch(/our Jenkins.*start builds/s);
    await expect(client.getPrompt({ name: 'author_connector' })).rejects.toThrow('service');
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'forge://connectors/{id}/readme' },
      argument: { name: 'id', value: 'g' },
    });
    expect(completion.values).toEqual(['git']);
    await forge.request('PATCH', '/api/connectors/git', { enabled: false });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['forge://docs/authoring']);
  });

  it('says something when a service or a command says nothing', async () => {
    const service = await upstream((_seen, response) => response.writeHead(204).end());
    const forge = await testForge();
    await install(forge, service.url);
    const client = await connectClient(forge, { era });
    const text = async (name: string, args: object) => textOf(await client.callTool({ name, arguments: { ...args } }));
    expect(await text('demo__echo', { text: '' })).toBe('Done. Nothing was returned.');
    expect(await text('demo__get', { id: '7' })).toMatch(/^HTTP 204 No Content · GET /);
  });

  it('returns pictures as pictures and other files as links', async () => {
    const picture = Buffer.from('iVBORw0KGgo=', 'base64');
    const service = await upstream((seen, response) => {
      const type = seen.url.endsWith('picture') ? 'image/png' : 'application/zip';
      response.writeHead(200, { 'Content-Type': type });
      response.end(picture);
    });
    const forge = await testForge();
    await install(forge, service.url);
    const client = await connectClient(forge, { era });
    const shown = await client.callTool({ name: 'demo__get', arguments: { id: 'picture' } });
    expect(shown.content[1]).toEqual({ type: 'image', mimeType: 'image/png', data: picture.toString('base64') });
    const linked = await client.callTool({ name: 'demo__get', arguments: { id: 'archive' } });
    expect(linked.content[1]).toMatchObject({ type: 'resource_link', mimeType: 'application/zip' });
    const { uri } = linked.content[1] as { uri: string };
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ blob: picture.toString('base64') });
  });

  it('hears of connectors that are installed, edited, switched off and removed', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const heard: string[][] = [];
    let wake: () => void = () => undefined;
    const client = await connectClient(forge, {
      era,
      options: {
        listChanged: {
          tools: {
            autoRefresh: true,
            debounceMs: 0,
            onChanged: (_error, tools) => {
              heard.push((tools ?? []).map(({ name }) => name));
              wake();
            },
          },
        },
      },
    });
    await client.listTools();
    const edit = (yaml: string): void =>
      writeFileSync(path.join(forge.dataDir.connectors, 'extra', 'manifest.yaml'), yaml);
    const changes: (() => unknown)[] = [
      () => forge.request('POST', '/api/connectors/install-local', { yaml: manifest('', 'extra') }),
      () => forge.request('PATCH', '/api/connectors/extra', { enabled: false }),
      () => forge.request('PATCH', '/api/connectors/extra', { enabled: true }),
      () => edit(manifest('', 'extra').replace('get_item:', 'got_item:')),
      () => edit(manifest('', 'extra')),
      () => forge.request('DELETE', '/api/connectors/extra?settings=delete'),
    ];
    for (const [index, change] of changes.entries()) {
      const next = new Promise<void>((resolve) => (wake = resolve));
      await change();
      await next;
      expect(heard.at(-1)?.includes('extra__get_item'), `change ${index}`).toBe(index % 2 === 0);
    }
  });
});
