import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Paired } from '../../../shared/bridge.ts';
import { createLog } from '../../log.ts';
import { openDatabase } from '../../store/database.ts';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { createBridge } from '../create-bridge.ts';
import { FakeExtension, type FakeKeys, type FakeOptions } from './fake-extension.ts';
import { manualClock } from './manual-clock.ts';

/** A bridge on a real port with a real database, and a clock that only the test moves. */
export async function bridgeWorld() {
  const folder = tempDir();
  const db = await openDatabase(path.join(folder, 'forge.db'));
  const logLines: string[] = [];
  const log = createLog({ level: 'debug', redact: (line) => line, write: (line) => logLines.push(line) });
  const clock = manualClock();
  const server = createServer((_request, response) => response.end());
  const port = () => (server.address() as AddressInfo).port;
  const bridge = createBridge({
    db,
    log,
    clock,
    port,
    ownPorts: () => [port(), 6247],
    version: '1.0.0',
    keyFile: path.join(folder, 'bridge-key'),
    token: () => 'token',
    redact: (text) => text,
  });
  server.on('upgrade', (request, socket, head) => bridge.server.upgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${port()}`;
  const extensions: FakeExtension[] = [];
  onTestFinished(async () => {
    for (const extension of extensions) await extension.cut();
    server.closeAllConnections();
    server.close();
    db.close();
  });
  const connect = async (options: FakeOptions = {}): Promise<FakeExtension> => {
    const extension = await FakeExtension.connect(url, options);
    extensions.push(extension);
    return extension;
  };
  return {
    ...bridge,
    clock,
    db,
    url,
    logLines,
    connect,
    /** A browser that a person has accepted, and its key. */
    pair: async (
      options: FakeOptions = {},
    ): Promise<{ extension: FakeExtension; id: string; keys: FakeKeys } & Paired> => {
      const extension = await connect(options);
      await extension.greet();
      const id = bridge.server.pending().find(({ facts }) => facts.browser_id === extension.browserId)!.id;
      bridge.server.accept(id);
      return { extension, id, keys: extension.keys, ...(await extension.paired()) };
    },
    /** The same browser once more, with its key. */
    reconnect: async ({ keys }: { keys: FakeKeys }, options: FakeOptions = {}): Promise<FakeExtension> => {
      const extension = await connect({ ...options, keys, hello: { ...options.hello, paired: true } });
      await extension.greet();
      return extension;
    },
  };
}
