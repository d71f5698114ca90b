import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../store/testing/temp-dir.ts';
import { osKeychain } from './os-keychain.ts';

/** A package with the same `Entry` class that keeps its entries in files of a folder. */
function packageIn(folder: string, behaviour = ''): string {
  const file = path.join(folder, 'keyring.cjs');
  const source = `
    const fs = require('node:fs');
    exports.Entry = class {
      constructor(service, account, options) {
        if (options.linux.store !== 'secret-service') throw new Error('no store was named');
        ${behaviour}
        this.file = require('node:path').join(__dirname, encodeURIComponent(service + ' ' + account));
      }
      setPassword(text) { fs.writeFileSync(this.file, text); }
      getPassword() { return fs.existsSync(this.file) ? fs.readFileSync(this.file, 'utf8') : null; }
    };
  `;
  writeFileSync(file, source);
  return file;
}

describe('osKeychain', () => {
  it('K-38 keeps a text and gives it back, on Linux in the secret service only', async () => {
    const keychain = osKeychain({ modulePath: packageIn(tempDir()), timeoutMs: 20_000 });
    expect(await keychain.read('forge', '/data')).toBeNull();
    await keychain.write('forge', '/data', '{"ü": "€"}\n');
    expect(await keychain.read('forge', '/data')).toBe('{"ü": "€"}\n');
    expect(await keychain.read('forge', '/other')).toBeNull();
  });

  it('K-38 passes on why the keychain refuses', async () => {
    const modulePath = packageIn(tempDir(), `throw new Error('the collection is locked');`);
    const reading = osKeychain({ modulePath, timeoutMs: 20_000 }).read('forge', '/data');
    await expect(reading).rejects.toMatchObject({ code: 'secrets_unreadable' });
    await expect(reading).rejects.toThrow(
      'secrets cannot be read: the keychain is not available: the collection is locked',
    );
  });

  it('K-38 notices a keychain that did not keep what was written', async () => {
    const modulePath = packageIn(tempDir(), `this.setPassword = () => {};`);
    const writing = osKeychain({ modulePath, timeoutMs: 20_000 }).write('forge', '/data', 'x');
    await expect(writing).rejects.toThrow('did not keep the key');
  });

  it.each([
    ['crashes', 'process.abort();'],
    ['exits', 'process.exit(0);'],
    ['does not load', 'throw 1;'],
  ])('K-38 survives a package that %s', async (_, behaviour) => {
    const modulePath = packageIn(tempDir(), behaviour);
    const reading = osKeychain({ modulePath, timeoutMs: 20_000 }).read('forge', '/data');
    await expect(reading).rejects.toMatchObject({ code: 'secrets_unreadable' });
  });

  it('K-38 says that the optional package is missing', async () => {
    const reading = osKeychain({ modulePath: path.join(tempDir(), 'none.cjs') }).read('forge', '/data');
    await expect(reading).rejects.toMatchObject({ code: 'secrets_unreadable' });
  });

  it.runIf(process.platform === 'linux')('K-38 gives up on a D-Bus that accepts but never answers', async () => {
    const socket = path.join(tempDir(), 'bus');
    const connections = new Set<Socket>();
    const bus = createServer((connection) => connections.add(connection)).listen(socket);
    onTestFinished(() => {
      for (const connection of connections) connection.destroy();
      bus.close();
    });
    await once(bus, 'listening');
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
    const reading = osKeychain({ timeoutMs: 1500, env }).read('forge', '/data');
    await expect(reading).rejects.toThrow('it did not answer within 1.5 s');
    expect(connections.size).toBe(1);
  });

  it.runIf(process.platform === 'linux')(
    'K-38 is not available without a D-Bus, and does not use the kernel instead',
    async () => {
      const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.join(tempDir(), 'nowhere')}` };
      const keychain = osKeychain({ timeoutMs: 20_000, env });
      await expect(keychain.write('forge', '/data', 'x')).rejects.toMatchObject({ code: 'secrets_unreadable' });
      await expect(keychain.read('forge', '/data')).rejects.toMatchObject({ code: 'secrets_unreadable' });
    },
  );
});
