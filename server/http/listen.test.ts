import { createServer, request } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { listen } from './listen.ts';

const hasIpv6 = Object.values(os.networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');

it.runIf(hasIpv6)(
  'S1 whoever asks for localhost over IPv6 reaches Forge, and nobody else can have that address',
  async () => {
    const forge = await testForge();
    const port = Number(new URL(forge.url).port);
    const status = await new Promise((resolve, reject) => {
      request(
        { host: '::1', port, path: '/api/health', headers: { Host: `localhost:${port}` }, agent: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    const thief = createNetServer();
    const outcome = await new Promise((resolve) => {
      thief.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      thief.listen({ host: '::1', port }, () => resolve('listening'));
    });
    expect(outcome).toBe('EADDRINUSE');
  },
);

it.runIf(hasIpv6)('S1 a port that somebody else has on the second address is taken', async () => {
  const thief = createNetServer();
  await new Promise<void>((resolve) => thief.listen({ host: '::1', port: 0 }, resolve));
  onTestFinished(() => void thief.close());
  const { port } = thief.address() as AddressInfo;
  await expect(listen(createServer(), port)).rejects.toMatchObject({ code: 'port_in_use' });
});
