import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { collectGarbage } from '../../testing/collect-garbage.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

/** A model's server that says one thing and then thinks for ever. */
async function startThinker(): Promise<{ url: string; answering: Promise<ServerResponse> }> {
  const server = createServer();
  const answering = new Promise<ServerResponse>((resolve) => {
    server.once('request', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      resolve(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on an address and not on a pipe.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, answering };
}

it('stops an answer that has begun when it is told to, also after garbage was collected', async () => {
  const { url, answering } = await startThinker();
  const guarded = createGuardedFetch({ ownPorts: () => [], proxy: {} });
  onTestFinished(() => guarded.close());
  const controller = new AbortController();
  // Nobody keeps the answer itself, as clients of models do not.
  const reader = await guarded.fetch(url, { signal: controller.signal }).then(({ body }) => body?.getReader());
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: one\n\n');
  const next = reader?.read();
  for (let times = 0; times < 5; times += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const closed = once(await answering, 'close');
  controller.abort();
  await expect(next).rejects.toThrow(/abort/i);
  await closed;
});
