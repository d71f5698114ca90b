import { describe, expect, it } from 'vitest';
import { notificationFrame, readFrame, requestFrame, resultFrame, errorFrame } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import type { LinkState } from './link-state.ts';
import { Link, type LinkDeps, type SocketHandlers } from './link.ts';

interface FakeSocket extends SocketHandlers {
  url: string;
  sent: string[];
  isOpen: boolean;
  isClosed: boolean;
}

/** A link whose sockets are in the test's hands. */
function setUp(changes: Partial<LinkDeps> = {}) {
  const clock = manualClock();
  const sockets: FakeSocket[] = [];
  const states: LinkState[] = [];
  const events: unknown[] = [];
  let key: string | null = null;
  const link = new Link({
    clock,
    random: () => 0.5,
    address: () => '127.0.0.1:8403',
    key: () => key,
    hello: () => ({
      protocol: 1,
      browser_id: 'a'.repeat(32),
      browser: 'Chrome 156',
      profile: '',
      platform: 'linux',
      extension_version: '1.0.0',
      user_scripts: true,
      paused: false,
    }),
    openSocket(url, handlers) {
      const socket: FakeSocket = { ...handlers, url, sent: [], isOpen: true, isClosed: false };
      sockets.push(socket);
      return {
        isOpen: () => socket.isOpen,
        send: (text) => socket.sent.push(text),
        close: () => {
          socket.isClosed = true;
        },
      };
    },
    onPaired: (paired) => {
      key = paired.key;
      events.push(paired);
    },
    onRefused: () => {
      key = null;
      events.push('refused');
    },
    onRequest: () => Promise.resolve({ result: { url: 'u' }, body: '[1]' }),
    onNotification: (method, params) => events.push([method, params]),
    onState: (state) => states.push(state),
    ...changes,
  });
  const last = (): FakeSocket => sockets.at(-1)!;
  const say = (text: string): void => last().onMessage(text);
  const lastSent = () => readFrame(last().sent.at(-1) ?? '');
  const helloId = (): number => {
    const frame = readFrame(last().sent[0] ?? '');
    return frame.kind === 'request' ? frame.id : -1;
  };
  const greet = (): void => last().onOpen();
  const ready = (): void => say(resultFrame(helloId(), { state: 'ready', server_version: '1', name: 'Mine' }));
  const connect = (): void => {
    link.connectNow();
    greet();
    ready();
  };
  return { link, clock, sockets, states, events, last, say, lastSent, helloId, greet, ready, connect };
}

describe('the link to the server', () => {
  it('K-54 says hello first, with its key, to this computer', () => {
    const { link, last, greet, lastSent } = setUp({ key: () => 'k1' });
    link.connectNow();
    expect(last().url).toBe('ws://127.0.0.1:8403/bridge');
    expect(last().sent).toEqual([]);
    greet();
    expect(lastSent()).toMatchObject({ method: 'hello', params: { key: 'k1', ticket: null, protocol: 1 } });
  });

  it('shows the code while pairing, takes the key once, and is ready then', () => {
    const { link, clock, say, helloId, greet, events } = setUp();
    link.connectNow();
    greet();
    say(resultFrame(helloId(), { state: 'pairing', code: '123 456', expires_in_ms: 1000 }));
    expect(link.state).toEqual({ kind: 'pairing', code: '123 456', expiresAt: clock.now() + 1000 });
    const paired = { key: 'k', name: 'Mine', server_version: '1' };
    say(notificationFrame('paired', paired));
    say(notificationFrame('paired', { ...paired, key: 'stolen' }));
    expect(link.state).toMatchObject({ kind: 'ready', name: 'Mine' });
    expect(events).toEqual([paired]);
  });

  it('shows a ticket until it is connected, and not again', () => {
    const { link, last, greet, ready, lastSent } = setUp();
    link.restart('ticket-1');
    greet();
    expect(lastSent()).toMatchObject({ params: { ticket: 'ticket-1' } });
    ready();
    last().onClose(1006);
    link.connectNow();
    greet();
    expect(lastSent()).toMatchObject({ params: { ticket: null } });
  });

  it('comes back after 250 ms, and at once when it is woken', async () => {
    const { link, clock, sockets, last, connect } = setUp();
    connect();
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
    [4426, 'outdated'],
  ])('a close with %i stops it until the person acts', async (code, reason) => {
    const { link, clock, sockets, last, connect } = setUp();
    connect();
    last().onClose(code);
    expect(link.state).toEqual({ kind: 'off', reason });
    link.connectNow();
    await clock.advance(60_000);
    expect(sockets).toHaveLength(1);
    link.restart();
    expect(sockets).toHaveLength(2);
  });

  it('a refused hello forgets the key, and a pairing nobody accepts ends', () => {
    const refused = setUp();
    refused.link.connectNow();
    refused.greet();
    refused.say(errorFrame(refused.helloId(), { code: 'unauthorized', message: 'no' }));
    expect(refused.events).toEqual(['refused']);
    expect(refused.link.state).toEqual({ kind: 'off', reason: 'refused' });
    const late = setUp();
    late.link.connectNow();
    late.greet();
    late.say(resultFrame(late.helloId(), { state: 'pairing', code: '1', expires_in_ms: 1 }));
    late.last().onClose(4408);
    expect(late.link.state).toEqual({ kind: 'off', reason: 'expired' });
  });

  it('gives up on a server that does not answer the hello', async () => {
    const { link, clock, sockets, greet, last } = setUp();
    link.connectNow();
    greet();
    await clock.advance(10_000);
    expect(last().isClosed).toBe(true);
    await clock.advance(250);
    expect(sockets).toHaveLength(2);
  });

  it('pings a silent server every 20 s, and leaves one that stays silent', async () => {
    const { clock, connect, lastSent, say, last, sockets } = setUp();
    connect();
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
    const { clock, connect, say, last } = setUp();
    connect();
    say(
      requestFrame(7, 'dom.inspect', { host_match: 'x', action: { kind: 'selector', selector: 'a' }, timeout_ms: 1 }),
    );
    await clock.advance(0);
    expect(last().sent.at(-1)).toBe('{"id":7,"result":{"url":"u"}}\n[1]');
    const failing = setUp({ onRequest: () => Promise.reject(new ForgeError('browser_paused', 'Paused.')) });
    failing.connect();
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
      const { link, clock, connect, say, last, greet, ready } = setUp({
        onRequest: () => new Promise((resolve) => (finish = resolve)),
      });
      connect();
      say(inspect);
      last().onClose(1006);
      finish({ result: {}, body: '2' });
      await clock.advance(away);
      link.connectNow();
      greet();
      expect(last().sent).toHaveLength(1);
      ready();
      expect(last().sent.includes('{"id":9,"result":{}}\n2')).toBe(arrives);
      last().onClose(1006);
      link.connectNow();
      greet();
      ready();
      expect(last().sent).toHaveLength(1);
    }
  });

  it('serves nobody before it is paired', async () => {
    const { link, clock, greet, say, lastSent } = setUp();
    link.connectNow();
    greet();
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
  ])('%s changes nothing', (_, frame) => {
    const { connect, last, link } = setUp();
    connect();
    last().onMessage(frame);
    expect(link.state).toMatchObject({ kind: 'ready', name: 'Mine' });
    for (const text of last().sent.slice(1))
      expect(readFrame(text)).toMatchObject({ error: { code: 'bridge_protocol' } });
  });

  it('a server that answers the hello in another way is of another version', () => {
    const { link, greet, say, helloId } = setUp();
    link.connectNow();
    greet();
    say(resultFrame(helloId(), { state: 'welcome' }));
    expect(link.state).toEqual({ kind: 'off', reason: 'outdated' });
  });

  it('tells the server what changes, when there is one', () => {
    const { link, connect, lastSent, sockets } = setUp();
    link.tell({ user_scripts: true, paused: true });
    expect(sockets).toHaveLength(0);
    connect();
    link.tell({ user_scripts: true, paused: true });
    expect(lastSent()).toMatchObject({ method: 'state', params: { paused: true } });
  });
});
