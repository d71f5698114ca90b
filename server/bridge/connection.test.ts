import { describe, expect, it } from 'vitest';
import { MAX_FRAME_BYTES, notificationFrame, PING_EVERY_MS, requestFrame, resultFrame } from '../../shared/bridge.ts';
import { CLOSE } from '../../shared/bridge-close.ts';
import { joinFrames } from '../../shared/bridge-join.ts';
import { closeReason } from './close-reason.ts';
import { bridgeWorld } from './testing/bridge-world.ts';
import { runParams } from './testing/run-params.ts';

const PAIRED = {
  name: 'n',
  server_version: '1',
  server_key: 'A'.repeat(122),
  proof: 'A'.repeat(86),
  ticket_proof: null,
};
const BAD_FRAMES: [string, string | Buffer][] = [
  ['no JSON', '{"id":1,'],
  ['nothing', ''],
  ['a number', '5'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a string', '"hello"'],
  ['an id that is a text', '{"id":"1","method":"ping","params":{}}'],
  ['an id that is negative', '{"id":-1,"method":"ping","params":{}}'],
  ['an id beyond all numbers', '{"id":1e300,"method":"ping","params":{}}'],
  ['an unknown method', '{"id":7,"method":"server.shutdown","params":{}}'],
  ['a method of the prototype', '{"id":7,"method":"constructor","params":{}}'],
  ['a method with a long name', JSON.stringify({ id: 7, method: 'é'.repeat(3000), params: {} })],
  ['an unknown notification', '{"method":"boom","params":{}}'],
  ['a notification that only the server sends', '{"method":"connector.cancel","params":{"call_id":"call_1"}}'],
  ['a notification that makes it paired', notificationFrame('paired', PAIRED)],
  ['a request that only the server sends', requestFrame(7, 'connector.run', runParams())],
  ['a list that does not fit', '[20,20]\n{"id":1,"result":{}}'],
  ['a second hello', '{"id":7,"method":"hello","params":{}}'],
  ['params that are missing', '{"method":"state"}'],
  ['params of the wrong kind', '{"method":"state","params":{"user_scripts":1,"paused":"no"}}'],
  ['a reply without a result', '{"id":1}'],
  ['an error without a message', '{"id":1,"error":{}}'],
  ['a prototype', '{"__proto__":{"id":1,"result":{}}}'],
  ['deep nesting', `{"id":1,"method":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ['bytes', Buffer.from([0, 1, 2, 255])],
];

describe('several frames in one message', () => {
  const signal = new AbortController().signal;

  it('go to a browser that takes them, and answers come back in one', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair({ hello: { takes_joined: true } });
    const calls = ['a', 'b', 'c'].map((call_id) =>
      router.request('connector.run', { ...runParams(), call_id }, { connector: 'demo', signal }),
    );
    const asked = [await extension.nextAsked(), await extension.nextAsked(), await extension.nextAsked()];
    expect(asked.map(({ params }) => params.call_id)).toEqual(['a', 'b', 'c']);
    expect(extension.messages.at(-1)).toMatch(/^\[\d+,\d+,\d+\]\n/);
    const result = { url: 'https://demo.test/', timings: {} };
    extension.sendRaw(joinFrames(asked.map(({ id }, index) => resultFrame(id, result, `[${index}]`))));
    expect((await Promise.all(calls)).map(({ body }) => body)).toEqual(['[0]', '[1]', '[2]']);
  });

  it('one that does not say that it takes them gets each by itself', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    const calls = ['a', 'b'].map((call_id) =>
      router.request('connector.run', { ...runParams(), call_id }, { connector: 'demo', signal }),
    );
    for (const call_id of ['a', 'b']) (await extension.nextAsked()).returns(call_id);
    expect((await Promise.all(calls)).map(({ body }) => body)).toEqual(['"a"', '"b"']);
    expect(extension.messages.filter((text) => text.startsWith('['))).toEqual([]);
  });

  it('one among them that cannot be read fails alone', async () => {
    const { pair, router, logLines } = await bridgeWorld();
    const { extension } = await pair({ hello: { takes_joined: true } });
    const calls = ['a', 'b'].map((call_id) =>
      router.request('connector.run', { ...runParams(), call_id }, { connector: 'demo', signal }),
    );
    const [first, second] = [await extension.nextAsked(), await extension.nextAsked()];
    const failed = expect(calls[0]).rejects.toMatchObject({ code: 'bridge_protocol' });
    const good = resultFrame(second.id, { url: 'https://demo.test/', timings: {} }, '"fine"');
    extension.sendRaw(joinFrames([`{"id":${first.id}}`, good]));
    await failed;
    expect((await calls[1])?.body).toBe('"fine"');
    expect(logLines.filter((line) => line.includes('makes no sense'))).toHaveLength(1);
  });

  it('what was said last goes out before the socket is closed', async () => {
    const { pair, server, router } = await bridgeWorld();
    const { extension, id } = await pair({ hello: { takes_joined: true } });
    const lost = expect(
      router.request('connector.run', runParams(), { connector: 'demo', signal }),
    ).rejects.toMatchObject({ code: 'bridge_offline' });
    server.revoke(id);
    await lost;
    await extension.closed;
    expect(extension.asked.map(({ method }) => method)).toEqual(['connector.run']);
  });
});

describe('frames that make no sense', () => {
  it.each(BAD_FRAMES)('%s: counted, and the socket goes on', async (_title, frame) => {
    const { pair, router, logLines } = await bridgeWorld();
    const { extension } = await pair();
    extension.sendRaw(frame);
    await extension.settled();
    expect(logLines.filter((line) => line.includes('makes no sense'))).toHaveLength(1);
    const answer = router.request('connector.run', runParams(), {
      connector: 'demo',
      signal: new AbortController().signal,
    });
    (await extension.nextAsked()).returns('fine');
    expect((await answer).body).toBe('"fine"');
  });

  it.each(BAD_FRAMES)('%s: twenty of them end the socket', async (_title, frame) => {
    const { pair } = await bridgeWorld();
    const { extension } = await pair();
    for (let count = 0; count < 20; count += 1) extension.sendRaw(frame);
    expect(await extension.closed).toMatchObject({
      code: CLOSE.badFrames,
      reason: expect.stringMatching(/^too many bad frames: /),
    });
  });

  it.each([
    ['a reply', '{"id":1,"result":{}}\n{"a":1}'],
    ['a deep one', `{"id":1,"result":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['an error', '{"id":1,"error":{"code":"x","message":"y"}}'],
  ])('%s to nothing: a restart may bring many, and two hundred end the socket', async (_title, frame) => {
    const { pair, logLines } = await bridgeWorld();
    const { extension } = await pair();
    for (let count = 0; count < 199; count += 1) extension.sendRaw(frame);
    await extension.settled();
    expect(logLines.filter((line) => line.includes('what was not asked'))).toHaveLength(199);
    extension.sendRaw(frame);
    expect(await extension.closed).toEqual({ code: CLOSE.badFrames, reason: 'too many answers to nothing' });
  });

  it('tells whoever asked for something that does not exist', async () => {
    const { pair } = await bridgeWorld();
    const { extension } = await pair();
    extension.sendRaw('{"id":700,"method":"boom","params":{}}');
    await extension.settled();
    expect(extension.frames.map((text) => JSON.parse(text))).toContainEqual({
      id: 700,
      error: { code: 'bridge_protocol', message: 'there is no method boom' },
    });
  });

  it('an answer that cannot be read fails the call it belongs to', async () => {
    const { pair, router } = await bridgeWorld();
    const { extension } = await pair();
    for (const broken of ['{"id":ID}', '{"id":ID,"error":{}}', '{"id":ID,"result":{"url":5}}']) {
      const answer = router.request('connector.run', runParams(), {
        connector: 'demo',
        signal: new AbortController().signal,
      });
      const failed = expect(answer).rejects.toMatchObject({ code: 'bridge_protocol' });
      const { id } = await extension.nextAsked();
      extension.sendRaw(broken.replace('ID', String(id)));
      await failed;
    }
  });

  it('a frame that is too large ends the socket, and not the server', async () => {
    const { pair, connect } = await bridgeWorld();
    const { extension } = await pair();
    extension.sendRaw(Buffer.alloc(MAX_FRAME_BYTES + 1, 0x20));
    expect((await extension.closed).code).toBe(1009);
    expect(await (await connect({ hello: { browser_id: 'c'.repeat(16) } })).greet()).toMatchObject({
      state: 'pairing',
    });
  });
});

describe('before a browser has said who it is', () => {
  it('hello must come within five seconds', async () => {
    const { connect, clock } = await bridgeWorld();
    const extension = await connect();
    clock.advance(4999);
    clock.advance(1);
    expect(await extension.closed).toEqual({ code: CLOSE.silent, reason: 'no hello came' });
  });

  it.each([
    ['a ping', '{"id":1,"method":"ping","params":{}}'],
    ['a state', '{"method":"state","params":{"user_scripts":true,"paused":false}}'],
    ['a large frame', `{"id":1,"method":"hello","params":{"x":"${'x'.repeat(70_000)}"}}`],
  ])('%s ends the socket', async (_title, frame) => {
    const { connect } = await bridgeWorld();
    const extension = await connect();
    extension.sendRaw(frame);
    expect((await extension.closed).code).toBe(CLOSE.badFrames);
  });

  it('a hello of the wrong shape is told, and counts for nothing', async () => {
    const { connect, server } = await bridgeWorld();
    const extension = await connect({ hello: { browser_id: 'not hex' } });
    await expect(extension.greet()).rejects.toMatchObject({ code: 'bridge_protocol' });
    expect(server.pending()).toEqual([]);
  });

  it('one that waits to be paired can answer nothing', async () => {
    const { pair, connect, router } = await bridgeWorld();
    const { extension } = await pair();
    const stranger = await connect({ hello: { browser_id: 'd'.repeat(16) } });
    await stranger.greet();
    const answer = router.request('connector.run', runParams(), {
      connector: 'demo',
      signal: new AbortController().signal,
    });
    const asked = await extension.nextAsked();
    stranger.sendRaw(resultFrame(asked.id, { url: 'https://evil.test/', timings: {} }, '"forged"'));
    await stranger.settled();
    asked.returns('true one');
    expect((await answer).body).toBe('"true one"');
  });

  it('nor can one paired browser answer for another', async () => {
    const { pair, router } = await bridgeWorld();
    const first = await pair();
    const second = await pair({ hello: { browser_id: 'e'.repeat(16) } });
    const answer = router.request('connector.run', runParams(), {
      connector: 'demo',
      browser: first.id,
      signal: new AbortController().signal,
    });
    const asked = await first.extension.nextAsked();
    second.extension.sendRaw(resultFrame(asked.id, { url: 'https://evil.test/', timings: {} }, '"forged"'));
    await second.extension.settled();
    asked.returns('true one');
    expect((await answer).body).toBe('"true one"');
  });
});

describe('liveness', () => {
  it('pings every 20 s, and answers pings', async () => {
    const { pair, clock } = await bridgeWorld();
    const { extension } = await pair();
    for (let count = 1; count <= 5; count += 1) {
      clock.advance(PING_EVERY_MS);
      await extension.settled();
      expect(extension.frames.filter((text) => text.includes('"method":"ping"'))).toHaveLength(count);
    }
  });

  it('ends a socket that does not answer', async () => {
    const { pair, clock, router } = await bridgeWorld();
    const { extension, id } = await pair({ answersPings: false });
    clock.advance(PING_EVERY_MS);
    await extension.settled();
    expect(router.isConnected(id)).toBe(true);
    clock.advance(PING_EVERY_MS);
    expect(router.isConnected(id)).toBe(false);
    expect(await extension.closed).toEqual({ code: CLOSE.silent, reason: 'a ping was not answered' });
  });

  it('leaves no timer behind', async () => {
    const { pair, clock } = await bridgeWorld();
    const { extension } = await pair();
    await extension.close();
    await expect.poll(() => clock.pending()).toBe(0);
  });
});

it('a reason is never longer than WebSocket allows', () => {
  for (const text of ['short', 'x'.repeat(500), '’'.repeat(200), '😀'.repeat(100), `x${'😀'.repeat(100)}`])
    expect(Buffer.byteLength(closeReason(text))).toBeLessThanOrEqual(123);
});
