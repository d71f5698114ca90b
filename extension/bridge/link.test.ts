import { describe, expect, it } from 'vitest';
import { BRIDGE_PROTOCOL, notificationFrame, readFrame, requestFrame, resultFrame } from '../../shared/bridge.ts';
import { splitFrames } from '../../shared/bridge-join.ts';
import { ticketText } from '../../shared/bridge-proof.ts';
import { ForgeError } from '../../shared/errors.ts';
import { macOf } from './identity.ts';
import { forge, handshakeOf, linkWorld, NONCE, other } from './testing/link-world.ts';

describe('the link to the server', () => {
  it('K-54 says hello once it is challenged, to this computer', async () => {
    const { link, last, greet, say, lastSent } = linkWorld();
    link.connectNow();
    expect(last().url).toBe('ws://127.0.0.1:8403/bridge');
    expect(last().sent).toEqual([]);
    await greet();
    expect(lastSent()).toMatchObject({ method: 'hello', params: { paired: true, ticket_proof: null, protocol: 2 } });
    say(notificationFrame('challenge', { protocol: BRIDGE_PROTOCOL, nonce: 'M'.repeat(43) }));
    expect(last().sent).toHaveLength(1);
  });

  it('shows the code while pairing, takes the server’s key once, and is ready then', async () => {
    const { link, clock, say, helloId, greet, events, proof, until } = linkWorld({}, { paired: false });
    link.connectNow();
    await greet();
    say(resultFrame(helloId(), { state: 'pairing', code: '123 456', expires_in_ms: 1000 }));
    expect(link.state).toEqual({ kind: 'pairing', code: '123 456', expiresAt: clock.now() + 1000 });
    const good = { name: 'Mine', server_version: '1', server_key: forge.publicKey, ticket_proof: null };
    const paired = { ...good, proof: await proof('paired') };
    say(notificationFrame('paired', paired));
    say(notificationFrame('paired', { ...paired, server_key: other.publicKey }));
    await until('ready');
    expect(link.state).toMatchObject({ kind: 'ready', name: 'Mine' });
    expect(events).toEqual([paired]);
  });

  it('shows that it knows a ticket until it is connected, and not again', async () => {
    const { link, last, greet, say, hello, helloId, lastSent, proof, until } = linkWorld({}, { paired: false });
    link.restart('ticket-1');
    await greet();
    const handshake = handshakeOf(hello().params);
    expect(hello().params.ticket_proof).toBe(await macOf('ticket-1', ticketText(handshake, 'browser')));
    expect(last().sent.join('')).not.toContain('ticket-1');
    say(resultFrame(helloId(), { state: 'pairing', code: '', expires_in_ms: 1000 }));
    const ticket_proof = await macOf('ticket-1', ticketText(handshake, 'server'));
    const good = { name: 'Mine', server_version: '1', server_key: forge.publicKey, ticket_proof };
    say(notificationFrame('paired', { ...good, proof: await proof('paired') }));
    await until('ready');
    last().onClose(1006);
    link.connectNow();
    await greet();
    expect(lastSent()).toMatchObject({ params: { ticket_proof: null, paired: true } });
  });

  it.each([
    ['a server that takes it gets several answers in one message', true, 3],
    ['a server that does not say so gets them one by one', undefined, 13],
  ])('%s', async (_title, takesJoined, messages) => {
    const done: (() => void)[] = [];
    const answer = { result: { url: 'u' }, body: '[1]' };
    const onRequest = () => new Promise<typeof answer>((resolve) => done.push(() => resolve(answer)));
    const { last, say, connect } = linkWorld({ onRequest });
    await connect(takesJoined);
    for (let id = 0; id < 33; id += 1) say(requestFrame(id, 'tab.has', { host_match: 'x', login_redirect: null }));
    for (const finish of done.slice(0, 13)) finish();
    await expect.poll(() => last().sent.length, { interval: 1 }).toBe(1 + messages);
    const frames = last()
      .sent.slice(1)
      .flatMap((text) => splitFrames(text) ?? []);
    expect(frames.map((text) => readFrame(text))).toEqual(
      Array.from({ length: 13 }, (_, id) => ({ kind: 'result', id, result: answer.result, body: answer.body })),
    );
  });

  it('answers that wait when the socket is cut go out with the next one', async () => {
    const done: (() => void)[] = [];
    const answer = { result: { url: 'u' }, body: '[1]' };
    const onRequest = () => new Promise<typeof answer>((resolve) => done.push(() => resolve(answer)));
    const { clock, last, say, connect } = linkWorld({ onRequest });
    await connect(true);
    for (let id = 0; id < 33; id += 1) say(requestFrame(id, 'tab.has', { host_match: 'x', login_redirect: null }));
    for (const finish of done.slice(0, 3)) finish();
    await expect.poll(() => last().sent.length, { interval: 1 }).toBe(2);
    last().onClose(1006);
    await clock.advance(8);
    await connect(true);
    expect(
      last()
        .sent.slice(1)
        .map((text) => readFrame(text)),
    ).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('comes back after 250 ms, and at once when it is woken', async () => {
    const { link, clock, sockets, last, connect } = linkWorld();
    await connect();
    last().onClose(1006);
    await clock.advance(249);
    expect(sockets).toHaveLength(1);
    await clock.advance(1);
    expect(sockets).toHaveLength(2);
    last().onClose(1006);
    await clock.advance(249);
    expect(sockets).toHaveLength(2);
    link.connectNow();
    expect(sockets).toHaveLength(3);
    link.connectNow();
    expect(sockets).toHaveLength(3);
  });

  it.each([
    [4401, 'refused'],
    [4409, 'replaced'],
  ])('a close with %i stops it until the person acts', async (code, reason) => {
    const { link, clock, sockets, last, connect } = linkWorld();
    await connect();
    last().onClose(code);
    expect(link.state).toEqual({ kind: 'off', reason });
    link.connectNow();
    await clock.advance(60_000);
    expect(sockets).toHaveLength(1);
    link.restart();
    expect(sockets).toHaveLength(2);
  });

  it('another version is left alone, and looked at again every 15 s', async () => {
    const { link, clock, sockets, last, say } = linkWorld();
    link.connectNow();
    say(notificationFrame('challenge', { protocol: 3, nonce: NONCE }));
    expect(link.state).toEqual({ kind: 'off', reason: 'outdated' });
    await clock.advance(15_000);
    expect(sockets).toHaveLength(2);
    // One that waits for the first word itself speaks the version before this one.
    last().onClose(4408);
    expect(link.state).toEqual({ kind: 'off', reason: 'outdated' });
    await clock.advance(15_000);
    expect([sockets.length, link.state.kind]).toEqual([3, 'off']);
    last().onClose(1006);
    expect(link.state.kind).toBe('connecting');
  });

  it('a refusal that Forge has signed ends the pairing, and a pairing nobody accepts ends', async () => {
    const refused = linkWorld();
    refused.link.connectNow();
    await refused.greet();
    await refused.refuse();
    refused.last().onClose(4401);
    await refused.until('off');
    expect(refused.events).toEqual(['refused']);
    expect(refused.link.state).toEqual({ kind: 'off', reason: 'refused' });
    const late = linkWorld({}, { paired: false });
    late.link.connectNow();
    await late.greet();
    late.say(resultFrame(late.helloId(), { state: 'pairing', code: '1', expires_in_ms: 1 }));
    late.last().onClose(4408);
    expect(late.link.state).toEqual({ kind: 'off', reason: 'expired' });
  });

  it('gives up on a server that does not answer the hello', async () => {
    const { link, clock, sockets, greet, last } = linkWorld();
    link.connectNow();
    await greet();
    await clock.advance(10_000);
    expect(last().isClosed).toBe(true);
    await clock.advance(250);
    expect(sockets).toHaveLength(2);
  });

  it('pings a silent server every 20 s, and leaves one that stays silent', async () => {
    const { clock, connect, lastSent, say, last, sockets } = linkWorld();
    await connect();
    await clock.advance(20_000);
    const ping = lastSent();
    expect(ping).toMatchObject({ kind: 'request', method: 'ping' });
    say(resultFrame(ping.kind === 'request' ? ping.id : 0, {}));
    await clock.advance(20_000);
    expect(sockets).toHaveLength(1);
    await clock.advance(10_000);
    expect(last().isClosed).toBe(true);
  });

  it('answers with the result and its body, or with the error', async () => {
    const { clock, connect, say, last } = linkWorld();
    await connect();
    say(
      requestFrame(7, 'dom.inspect', { host_match: 'x', action: { kind: 'selector', selector: 'a' }, timeout_ms: 1 }),
    );
    await clock.advance(0);
    expect(last().sent.at(-1)).toBe('{"id":7,"result":{"url":"u"}}\n[1]');
    const failing = linkWorld({ onRequest: () => Promise.reject(new ForgeError('browser_paused', 'Paused.')) });
    await failing.connect();
    failing.say(requestFrame(8, 'connector.probe', { pluginId: 'p', host_match: 'h', runner: 'main', timeout_ms: 1 }));
    await failing.clock.advance(0);
    expect(failing.lastSent()).toMatchObject({ kind: 'error', id: 8, error: { code: 'browser_paused' } });
  });

  it('keeps an answer while the socket is away for less than 10 s, and sends it once', async () => {
    const inspect = requestFrame(9, 'dom.inspect', {
      host_match: 'x',
      action: { kind: 'selector', selector: 'a' },
      timeout_ms: 1,
    });
    for (const [away, arrives] of [
      [5000, true],
      [11_000, false],
    ] as const) {
      let finish = (_: { result: unknown; body: string | null }): void => undefined;
      const { link, clock, connect, say, last, greet, ready, until } = linkWorld({
        onRequest: () => new Promise((resolve) => (finish = resolve)),
      });
      await connect();
      say(inspect);
      last().onClose(1006);
      finish({ result: {}, body: '2' });
      await clock.advance(away);
      link.connectNow();
      await greet();
      expect(last().sent).toHaveLength(1);
      await ready();
      await until('ready');
      expect(last().sent.includes('{"id":9,"result":{}}\n2')).toBe(arrives);
      last().onClose(1006);
      link.connectNow();
      await greet();
      await ready();
      await until('ready');
      expect(last().sent).toHaveLength(1);
    }
  });

  it('serves nobody before it is paired', async () => {
    const { link, clock, greet, say, lastSent } = linkWorld();
    link.connectNow();
    await greet();
    say(requestFrame(3, 'connector.probe', { pluginId: 'p', host_match: 'h', runner: 'main', timeout_ms: 1 }));
    say(notificationFrame('connector.cancel', { call_id: 'c' }));
    await clock.advance(0);
    expect(lastSent()).toMatchObject({ kind: 'error', id: 3, error: { code: 'unauthorized' } });
  });

  it.each([
    ['not JSON', 'nonsense'],
    ['an unknown method', '{"id":5,"method":"rm"}'],
    ['params of another shape', '{"id":5,"method":"connector.run","params":{}}'],
    ['a reply to nothing', '{"id":99,"result":{"state":"ready"}}'],
    ['a second hello answer', '{"id":1,"result":{"state":"pairing","code":"1","expires_in_ms":1}}'],
    ['a binary frame', new ArrayBuffer(3)],
  ])('%s changes nothing', async (_, frame) => {
    const { connect, last, link } = linkWorld();
    await connect();
    last().onMessage(frame);
    expect(link.state).toMatchObject({ kind: 'ready', name: 'Mine' });
    for (const text of last().sent.slice(1))
      expect(readFrame(text)).toMatchObject({ error: { code: 'bridge_protocol' } });
  });

  it('a server that answers the hello in another way is of another version', async () => {
    const { link, greet, say, helloId } = linkWorld();
    link.connectNow();
    await greet();
    say(resultFrame(helloId(), { state: 'welcome' }));
    expect(link.state).toEqual({ kind: 'off', reason: 'outdated' });
  });

  it('tells the server what changes, when there is one', async () => {
    const { link, connect, lastSent, sockets } = linkWorld();
    link.tell({ user_scripts: true, paused: true });
    expect(sockets).toHaveLength(0);
    await connect();
    link.tell({ user_scripts: true, paused: true });
    expect(lastSent()).toMatchObject({ method: 'state', params: { paused: true } });
  });
});
