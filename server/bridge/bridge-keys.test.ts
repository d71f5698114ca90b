import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../shared/bridge-close.ts';
import { serverText, type Handshake } from '../../shared/bridge-proof.ts';
import { isSigned } from './server-identity.ts';
import { bridgeWorld } from './testing/bridge-world.ts';
import { FIREFOX_ORIGIN, fakeKeys } from './testing/fake-extension.ts';
import { runParams } from './testing/run-params.ts';

const run = () => ['connector.run', runParams(), { connector: 'demo', signal: new AbortController().signal }] as const;

describe('keys', () => {
  it('refuses one it does not know, and proves who says so', async () => {
    const { connect, pair } = await bridgeWorld();
    const { server_key } = await pair();
    const extension = await connect({ hello: { browser_id: '9'.repeat(16), paired: true } });
    const refusal = await extension.greet().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'unauthorized', hint: expect.any(String) });
    const { proof } = (refusal as { details: { proof: string } }).details;
    expect(isSigned(serverText(extension.handshake!, 'refused'), proof, server_key)).toBe(true);
    expect((await extension.closed).code).toBe(CLOSE.unauthorized);
  });

  it('K-54 who only knows a browser’s name and public key is refused, and the log says so', async () => {
    const { connect, pair, logLines, router } = await bridgeWorld();
    const { keys, id, extension } = await pair();
    const knowing = { ...fakeKeys(), publicKey: keys.publicKey };
    const thief = await connect({ keys: knowing, hello: { paired: true } });
    await expect(thief.greet()).rejects.toMatchObject({ code: 'unauthorized' });
    const other = await connect({ hello: { paired: true } });
    await expect(other.greet()).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await other.closed).code).toBe(CLOSE.unauthorized);
    const line = logLines.find((text) => text.includes('called itself like a paired browser'));
    expect(JSON.parse(line!)).toMatchObject({ level: 'warn', browser: id });
    // The owner is not disturbed.
    await extension.settled();
    expect(router.isConnected(id)).toBe(true);
  });

  it.each<[string, Partial<Handshake>]>([
    ['to another socket', { serverNonce: 'A'.repeat(43) }],
    ['on another port', { port: 8404 }],
    ['by another extension', { origin: FIREFOX_ORIGIN }],
    ['by another profile', { browserId: 'f'.repeat(16) }],
    ['with another nonce', { browserNonce: 'A'.repeat(43) }],
  ])('K-54 what a browser has signed %s counts for nothing', async (_title, signs) => {
    const { connect, pair, router } = await bridgeWorld();
    const { keys, id, extension } = await pair();
    await extension.close();
    await expect.poll(() => router.isConnected(id)).toBe(false);
    const replayed = await connect({ keys, signs, hello: { paired: true } });
    await expect(replayed.greet()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(router.isConnected(id)).toBe(false);
  });

  it.each([
    ['is no key', 'A'.repeat(122)],
    ['is of another kind', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
  ])('a public key that %s has signed nothing', async (_title, made) => {
    const { connect, server } = await bridgeWorld();
    const publicKey =
      typeof made === 'string' ? made : made.publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
    const privateKey = typeof made === 'string' ? fakeKeys().privateKey : made.privateKey;
    const extension = await connect({ keys: { publicKey: publicKey.padEnd(122, 'A'), privateKey } });
    await expect(extension.greet()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(server.pending()).toEqual([]);
  });

  it('end at once when they are revoked, with what was under way', async () => {
    const { pair, server, router, connect } = await bridgeWorld();
    const { extension, id, keys } = await pair();
    const answer = router.request(...run());
    const failed = expect(answer).rejects.toMatchObject({ code: 'bridge_offline' });
    await extension.nextAsked();
    server.revoke(id);
    await failed;
    expect(await extension.closed).toEqual({ code: CLOSE.unauthorized, reason: 'the pairing was revoked' });
    const again = await connect({ keys, hello: { paired: true } });
    await expect(again.greet()).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(router.request(...run())).rejects.toMatchObject({ code: 'extension_missing' });
  });

  it('K-55 the same browser connecting again replaces its older socket', async () => {
    const { pair, reconnect, router } = await bridgeWorld();
    const paired = await pair();
    const second = await reconnect(paired);
    expect((await paired.extension.closed).code).toBe(CLOSE.replaced);
    const answer = router.request(...run());
    (await second.nextAsked()).returns(1);
    expect((await answer).body).toBe('1');
  });

  it.each([1, 3])('refuses protocol %i in words that every version understands', async (protocol) => {
    const { connect } = await bridgeWorld();
    const extension = await connect();
    const old = { protocol, key: 'k', ticket: null, browser_id: 'a'.repeat(16) };
    extension.sendRaw(JSON.stringify({ id: 1, method: 'hello', params: old }));
    expect(await extension.closed).toEqual({
      code: CLOSE.protocol,
      reason: `the extension speaks protocol ${protocol}, and this Forge speaks 2`,
    });
    expect(extension.frames.map((text) => JSON.parse(text))).toContainEqual({
      id: 1,
      error: { code: 'bridge_protocol', message: expect.any(String) },
    });
  });
});
