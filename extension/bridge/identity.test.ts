import { describe, expect, it } from 'vitest';
import { isSigned as isSignedForServer, macOf as macOfServer } from '../../server/bridge/server-identity.ts';
import { isSigned, loadIdentity, macOf, randomText, type KeyBox } from './identity.ts';

function memoryBox(): KeyBox & { kept: () => CryptoKeyPair | null } {
  let kept: CryptoKeyPair | null = null;
  return {
    kept: () => kept,
    get: () => Promise.resolve(kept),
    put: (pair) => {
      kept = pair;
      return Promise.resolve();
    },
  };
}

describe('the browser’s own key', () => {
  it('K-54 is made once, and its private half cannot be read', async () => {
    const box = memoryBox();
    const first = await loadIdentity(box);
    const again = await loadIdentity(box);
    expect(again.publicKey).toBe(first.publicKey);
    const { privateKey } = box.kept() ?? {};
    await expect(crypto.subtle.exportKey('pkcs8', privateKey!)).rejects.toThrow();
  });

  it('signs what both sides can check', async () => {
    const identity = await loadIdentity(memoryBox());
    const signature = await identity.sign('text\nwith ümlauts');
    expect([signature.length, identity.publicKey.length]).toEqual([86, 122]);
    expect(isSignedForServer('text\nwith ümlauts', signature, identity.publicKey)).toBe(true);
    expect(await isSigned('text\nwith ümlauts', signature, identity.publicKey)).toBe(true);
    expect(await isSigned('text', signature, identity.publicKey)).toBe(false);
    expect(await isSigned('text', signature, 'nonsense')).toBe(false);
    expect(await isSigned('text', '%', identity.publicKey)).toBe(false);
  });

  it('proves a ticket as the server does', async () => {
    expect(await macOf('ticket', 'text')).toBe(macOfServer('ticket', 'text'));
    expect(randomText(32)).toMatch(/^[\w-]{43}$/);
    expect(randomText(32)).not.toBe(randomText(32));
  });
});
