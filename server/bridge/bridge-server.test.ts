import { connect as connectTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../shared/bridge.ts';
import { CLOSE } from '../../shared/bridge-close.ts';
import { serverText, ticketText, type Handshake } from '../../shared/bridge-proof.ts';
import { bridgeWorld } from './testing/bridge-world.ts';
import { isMac, isSigned } from './server-identity.ts';
import { CHROME_ORIGIN, FIREFOX_ORIGIN, fakeKeys } from './testing/fake-extension.ts';
import { runParams } from './testing/run-params.ts';

const other = (digit: string) => ({ hello: { browser_id: digit.repeat(16) } });
const run = (params: Partial<Run> = {}) =>
  ['connector.run', runParams(params), { connector: 'demo', signal: new AbortController().signal }] as const;

describe('who may open a socket', () => {
  it.each([CHROME_ORIGIN, FIREFOX_ORIGIN])('K-54 the extension %s', async (origin) => {
    const { connect } = await bridgeWorld();
    expect(await (await connect({ origin })).greet()).toMatchObject({ state: 'pairing' });
  });

  it.each([
    '',
    'null',
    'https://evil.test',
    'http://127.0.0.1:8403',
    'http://localhost:5000',
    `chrome-extension://${'a'.repeat(31)}`,
    `chrome-extension://${'a'.repeat(32)}/`,
    `chrome-extension://${'z'.repeat(32)}`,
    `chrome-extension://${'a'.repeat(32)}.evil.test`,
    `https://evil.test/chrome-extension://${'a'.repeat(32)}`,
    'moz-extension://evil.test',
  ])('K-54 refuses the origin %j', async (origin) => {
    const { connect, server } = await bridgeWorld();
    await expect(connect({ origin })).rejects.toThrow('refused with 403');
    expect(server.pending()).toEqual([]);
  });

  it.each(['evil.test', '127.0.0.1', 'localhost:1', '[::1]:80'])('K-54 refuses the host %j', async (Host) => {
    const { connect } = await bridgeWorld();
    await expect(connect({ headers: { Host } })).rejects.toThrow(/refused with 40[03]/);
  });

  it.each([
    ['another address', 'GET /bridge/x HTTP/1.1', 'Upgrade: websocket', '404 Not Found'],
    ['a query', 'GET /bridge?x HTTP/1.1', 'Upgrade: websocket', '404 Not Found'],
    ['another protocol', 'GET /bridge HTTP/1.1', 'Upgrade: h2c', '400 Bad Request'],
    ['no key of WebSocket', 'GET /bridge HTTP/1.1', 'Upgrade: websocket', '400 Bad Request'],
    ['another method', 'POST /bridge HTTP/1.1', 'Upgrade: websocket', '405 Method Not Allowed'],
  ])('refuses %s', async (_title, line, upgrade, wanted) => {
    const { url } = await bridgeWorld();
    const { host, port } = new URL(url);
    const text = await new Promise<string>((resolve, reject) => {
      let heard = '';
      const socket = connectTcp(Number(port), '127.0.0.1', () =>
        socket.write(
          `${line}\r\nHost: ${host}\r\nOrigin: ${CHROME_ORIGIN}\r\nConnection: Upgrade\r\n${upgrade}\r\n\r\n`,
        ),
      );
      socket.on('data', (chunk) => (heard += chunk.toString()));
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });
    expect(text.split('\r\n')[0]).toBe(`HTTP/1.1 ${wanted}`);
  });

  it('takes only so many that are not paired, and those that are still find room', async () => {
    const { connect, pair, reconnect } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.cut();
    const silent = await Promise.all(Array.from({ length: 16 }, () => connect()));
    await expect(connect()).rejects.toThrow('refused with 503');
    await silent[0]!.close();
    expect((await reconnect(paired)).frames[1]).toContain('"state":"ready"');
  });
});

describe('pairing', () => {
  it('D-09 shows the same code on both sides, and one yes is enough', async () => {
    const { connect, server, browsers, router } = await bridgeWorld();
    const extension = await connect({ hello: { profile: 'Work' } });
    const answer = await extension.greet();
    const [pending] = server.pending();
    expect(answer).toEqual({ state: 'pairing', code: pending!.code, expires_in_ms: 600_000 });
    expect(router.connected()).toBe(0);
    const browser = server.accept(pending!.id);
    const { name, server_version, server_key, proof } = await extension.paired();
    expect([name, server_version]).toEqual([browser.name, '1.0.0']);
    expect(isSigned(serverText(extension.handshake!, 'paired'), proof, server_key)).toBe(true);
    expect(browsers.paired(CHROME_ORIGIN, extension.browserId)).toMatchObject({
      browser: { id: pending!.id, profile: 'Work' },
      publicKey: extension.keys.publicKey,
    });
    expect(server.pending()).toEqual([]);
    expect(router.isConnected(browser.id)).toBe(true);
  });

  it('opens with the key from then on, and the server proves itself too', async () => {
    const { pair, reconnect, router, url } = await bridgeWorld();
    const paired = await pair();
    await paired.extension.close();
    const again = await reconnect(paired, { hello: { extension_version: '1.2.0' } });
    const { result } = JSON.parse(again.frames[1]!);
    expect(result).toEqual({
      state: 'ready',
      server_version: '1.0.0',
      name: 'Chromium on Linux',
      proof: expect.any(String),
      // Where it listens, and where it is going to.
      own_ports: [Number(new URL(url).port), 6247],
    });
    const isProof = (text: string) => isSigned(text, result.proof, paired.server_key);
    expect(isProof(serverText(again.handshake!, 'ready'))).toBe(true);
    // Good for this socket and this word only.
    expect(isProof(serverText(again.handshake!, 'refused'))).toBe(false);
    expect(isProof(serverText(paired.extension.handshake!, 'ready'))).toBe(false);
    expect(router.isConnected(paired.id)).toBe(true);
  });

  it('keeps the code when the browser asks again on a new socket', async () => {
    const { connect, server } = await bridgeWorld();
    const keys = fakeKeys();
    const first = await connect({ keys });
    const before = await first.greet();
    const second = await connect({ keys });
    expect(await second.greet()).toEqual(before);
    expect((await first.closed).code).toBe(CLOSE.replaced);
    server.accept(server.pending()[0]!.id);
    expect((await second.paired()).name).toBeTruthy();
  });

  it('cannot be accepted while the browser is away', async () => {
    const { connect, server, clock } = await bridgeWorld();
    const keys = fakeKeys();
    const extension = await connect({ keys });
    await extension.greet();
    const { id } = server.pending()[0]!;
    await extension.cut();
    // The server has heard of it once nothing is left to do for that socket.
    await expect.poll(() => clock.pending()).toBe(0);
    expect(() => server.accept(id)).toThrow(expect.objectContaining({ code: 'conflict' }));
    const back = await connect({ keys });
    await back.greet();
    expect(server.accept(id).id).toBe(id);
  });

  it('ends when nobody accepts within ten minutes', async () => {
    const { connect, server, clock } = await bridgeWorld();
    const extension = await connect();
    await extension.greet();
    for (let minute = 0; minute < 10; minute += 1) {
      await extension.settled();
      for (let beat = 0; beat < 3; beat += 1) {
        clock.advance(20_000);
        if (minute < 9 || beat < 2) await extension.settled();
      }
    }
    expect(await extension.closed).toEqual({ code: CLOSE.silent, reason: 'nobody accepted in time' });
    expect(server.pending()).toEqual([]);
  });

  it('the sixth that asks takes the place of the first', async () => {
    const { connect, server } = await bridgeWorld();
    const all = await Promise.all(['1', '2', '3', '4', '5', '6'].map((digit) => connect(other(digit))));
    for (const extension of all) await extension.greet();
    expect(await all[0]!.closed).toMatchObject({ code: CLOSE.silent });
    expect(server.pending()).toHaveLength(5);
  });

  it('a no closes the socket', async () => {
    const { connect, server } = await bridgeWorld();
    const extension = await connect();
    await extension.greet();
    server.revoke(server.pending()[0]!.id);
    expect(await extension.closed).toMatchObject({ code: CLOSE.unauthorized });
    expect(server.pending()).toEqual([]);
  });

  it('a ticket replaces the click, once, and neither side shows it', async () => {
    const { connect, server, pairings, reconnect, router } = await bridgeWorld();
    const ticket = pairings.issueTicket();
    const extension = await connect({ ticket });
    expect(await extension.greet()).toMatchObject({ state: 'pairing', code: '' });
    expect(server.pending()).toEqual([]);
    const { ticket_proof } = await extension.paired();
    expect(isMac(ticket, ticketText(extension.handshake!, 'server'), ticket_proof!)).toBe(true);
    expect(extension.frames.join('')).not.toContain(ticket);
    expect(router.connected()).toBe(1);
    const second = await connect({ ticket, hello: { browser_id: 'b'.repeat(16) } });
    expect(await second.greet()).toMatchObject({ state: 'pairing' });
    expect(server.pending()).toHaveLength(1);
    await extension.close();
    expect((await reconnect(extension)).frames[1]).toContain('"ready"');
  });

  it('a ticket also brings back a browser whose key is no longer good', async () => {
    const { connect, pairings } = await bridgeWorld();
    const extension = await connect({ ticket: pairings.issueTicket(), hello: { paired: true } });
    await extension.greet();
    expect(await extension.paired()).toMatchObject({ name: 'Chromium on Linux', server_key: expect.any(String) });
  });

  it('a proof of a ticket is of no use to another browser', async () => {
    const { connect, pairings, server } = await bridgeWorld();
    const signs: Partial<Handshake> = { publicKey: fakeKeys().publicKey };
    const extension = await connect({ ticket: pairings.issueTicket(), signs });
    await expect(extension.greet()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(server.pending()).toEqual([]);
  });
});

describe('while it is connected', () => {
  it('tells what changes, and a paused browser is not asked', async () => {
    const { pair, browsers, router } = await bridgeWorld();
    const { extension, id } = await pair();
    extension.state({ user_scripts: false, paused: true });
    await extension.settled();
    expect(browsers.get(id)).toMatchObject({ user_scripts: false, paused: true });
    await expect(router.request(...run())).rejects.toMatchObject({
      code: 'browser_paused',
      message: 'Forge is paused in Chromium on Linux',
    });
    extension.state({ user_scripts: true, paused: false });
    await extension.settled();
    const answer = router.request(...run());
    (await extension.nextAsked()).returns('awake');
    expect((await answer).body).toBe('"awake"');
  });

  it('what changes before it is accepted counts too', async () => {
    const { connect, server, router } = await bridgeWorld();
    const extension = await connect();
    await extension.greet();
    extension.state({ user_scripts: false, paused: true });
    await extension.settled();
    expect(server.accept(server.pending()[0]!.id)).toMatchObject({ user_scripts: false, paused: true });
    await expect(router.request(...run())).rejects.toMatchObject({ code: 'browser_paused' });
  });

  it('a new name counts at once', async () => {
    const { pair, server, router } = await bridgeWorld();
    const { extension, id } = await pair();
    server.rename(id, 'Work');
    const answer = router.request('connector.run', runParams(), {
      connector: 'demo',
      browser: 'work',
      signal: new AbortController().signal,
    });
    (await extension.nextAsked()).returns(true);
    expect((await answer).body).toBe('true');
  });
});

describe('stopping', () => {
  it('waits for calls under way, takes nothing new, and closes the sockets', async () => {
    const { pair, server, router, connect } = await bridgeWorld();
    const { extension } = await pair();
    const waiting = await connect(other('5'));
    await waiting.greet();
    const answer = router.request(...run());
    const asked = await extension.nextAsked();
    const closed = server.close();
    await expect(router.request(...run())).rejects.toMatchObject({ code: 'shutting_down' });
    await expect(connect()).rejects.toThrow('refused with 503');
    asked.returns('last');
    expect((await answer).body).toBe('"last"');
    await closed;
    expect(await extension.closed).toEqual({ code: CLOSE.goingAway, reason: 'Forge is stopping' });
    expect((await waiting.closed).code).toBe(CLOSE.goingAway);
  });
});
