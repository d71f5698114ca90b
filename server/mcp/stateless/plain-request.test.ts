import { describe, expect, it } from 'vitest';
import { install } from '../../testing/demo-calls.ts';
import { testForge, type TestForge } from '../../testing/forge.ts';
import { json, upstream } from '../../testing/upstream.ts';
import { META, readPlainRequest } from './plain-request.ts';

const VERSION = '2026-07-28';
const ENVELOPE = {
  [META.version]: VERSION,
  [META.client]: { name: 'raw', version: '1' },
  [META.capabilities]: { elicitation: { form: {} } },
};

interface Raw {
  headers: Record<string, string>;
  body: { jsonrpc: string; id: unknown; method: string; params: Record<string, unknown> };
}

function callOf(name: string, args: object = {}, more: object = {}): Raw {
  return {
    headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': name },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: ENVELOPE, ...more } },
  };
}

const read = ({ headers, body }: Raw) => readPlainRequest({ body, header: (name) => headers[name] ?? '' });

describe('a plain request', () => {
  it('is recognised', () => {
    expect(read(callOf('demo__get'))).toMatchObject({ id: 1, method: 'tools/call', progressToken: null });
    const token = { _meta: { ...ENVELOPE, progressToken: 7 } };
    expect(read(callOf('demo__get', {}, token))).toMatchObject({ progressToken: 7 });
  });

  it.each<[string, (raw: Raw) => void]>([
    ['another revision', ({ headers }) => (headers['mcp-protocol-version'] = '2031-01-01')],
    ['no revision in the header', ({ headers }) => delete headers['mcp-protocol-version']],
    ['another method in the header', ({ headers }) => (headers['mcp-method'] = 'tools/list')],
    ['another name in the header', ({ headers }) => (headers['mcp-name'] = 'demo__wipe')],
    ['no name in the header', ({ headers }) => delete headers['mcp-name']],
    ['a method that is not called all the time', ({ body }) => (body.method = 'prompts/list')],
    ['no id', ({ body }) => delete body.id],
    ['half an id', ({ body }) => (body.id = 1.5)],
    ['no envelope', ({ body }) => delete body.params['_meta']],
    ['an envelope without capabilities', ({ body }) => (body.params['_meta'] = { [META.version]: VERSION })],
    ['a client without a name', ({ body }) => (body.params['_meta'] = { ...ENVELOPE, [META.client]: {} })],
    ['a token that is none', ({ body }) => (body.params['_meta'] = { ...ENVELOPE, progressToken: {} })],
    ['answers that are none', ({ body }) => (body.params['inputResponses'] = [])],
  ])('is not one with %s', (_title, spoil) => {
    const raw = callOf('demo__get');
    spoil(raw);
    expect(read(raw)).toBeNull();
  });
});

describe('the plain answer is the one the SDK gives', () => {
  const send = async (forge: TestForge, { headers, body }: Raw) => {
    const accept = { Accept: 'application/json, text/event-stream' };
    const { status, body: answer } = await forge.request('POST', '/mcp', body, { ...accept, ...headers });
    return { status, answer };
  };
  /** The same name in the protocol's other spelling, which is not plain. */
  const unplain = ({ headers, body }: Raw): Raw => ({
    headers: { ...headers, 'mcp-name': `=?base64?${btoa(headers['mcp-name'] ?? '')}?=` },
    body,
  });

  it.each<[string, Raw]>([
    ['a result', callOf('demo__list')],
    ['a text', callOf('demo__echo', { text: 'hi' })],
    ['a failure', callOf('demo__get', { nope: 1 })],
    ['no such tool', callOf('demo__nope')],
    ['a question', callOf('demo__wipe', { id: '7' })],
  ])('%s', async (_title, raw) => {
    const service = await upstream(json({ items: [{ id: 1 }] }));
    const forge = await testForge();
    await install(forge, service.url);
    expect(read(raw)).not.toBeNull();
    expect(read(unplain(raw))).toBeNull();
    expect(await send(forge, raw)).toEqual(await send(forge, unplain(raw)));
  });

  it('the list', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const list = (meta: object): Raw => ({
      headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
    });
    const [plain, other] = [list(ENVELOPE), list(ENVELOPE)];
    other.body.params['inputResponses'] = null;
    expect(read(plain)).not.toBeNull();
    expect(read(other)).toBeNull();
    const answer = await send(forge, plain);
    expect(answer.answer.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    expect(answer).toEqual(await send(forge, other));
  });
});

it.each<[string, unknown]>([
  ['a number', 12_345],
  ['an action there is none of', { action: 'ACCEPT', content: { approve: true } }],
  ['no action', { content: { approve: true } }],
])('asks again where the answer to its question is none: %s', async (_title, given) => {
  const service = await upstream();
  const forge = await testForge();
  await install(forge, service.url);
  const ask = async (inputResponses: object) => {
    const { headers, body } = callOf('demo__wipe', { id: '7' }, { inputResponses });
    const accept = { Accept: 'application/json, text/event-stream' };
    return (await forge.request('POST', '/mcp', body, { ...accept, ...headers })).body.result;
  };
  const { inputRequests } = await ask({});
  const [id = ''] = Object.keys(inputRequests);
  expect(await ask({ [id]: given })).toMatchObject({ resultType: 'input_required', inputRequests });
  const extra = { unknown: { action: 'accept', content: { approve: true } } };
  expect(await ask({ [id]: { action: 'accept', content: { approve: true } }, ...extra })).toMatchObject({
    resultType: 'complete',
  });
  expect(service.seen).toHaveLength(1);
});
