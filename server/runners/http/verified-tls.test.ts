import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { certificateAuthority } from './testing/certificates.ts';
import { httpsServer } from './testing/servers.ts';

const run = promisify(execFile);

const CALL = `
  import { createHttpRunner } from ${JSON.stringify(path.join(import.meta.dirname, 'http-runner.ts'))};
  const runner = createHttpRunner({ ownPorts: () => [] });
  const job = {
    protocol: 'http', method: 'GET', url: process.env.TEST_URL, headers: {}, body: null, timeoutMs: 15000,
    verifyTls: true, captureHeaders: [], hostFrom: 'person', followRedirects: true,
  };
  const answer = await runner.run(job, { signal: new AbortController().signal }).then(
    ({ status, body }) => ({ status, body: body.toString() }),
    ({ code, message, hint }) => ({ code, message, hint }),
  );
  console.log(JSON.stringify(answer));
  await runner.close();
`;

/** Calls from a process of its own, as what Node trusts is settled when it starts. */
async function callFrom(environment: Record<string, string>): Promise<unknown> {
  const env = { ...process.env, ...environment };
  const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', CALL], { env });
  return JSON.parse(stdout);
}

describe('W-02 a service whose certificate an authority of one’s own has signed', () => {
  const authority = certificateAuthority('Test authority');
  const trusted = () => {
    const file = path.join(tempDir(), 'authority.pem');
    writeFileSync(file, authority.cert);
    return { NODE_EXTRA_CA_CERTS: file };
  };
  const service = (names: readonly string[], options = {}) =>
    httpsServer((_request, response) => response.end('reached'), authority.issue(names, options));

  it.each(['127.0.0.1', 'localhost'])('W-02 is called with the check on, by the name %s', async (name) => {
    const { port, connections } = await service(['localhost', '127.0.0.1']);
    expect(await callFrom({ ...trusted(), TEST_URL: `https://${name}:${port}/` })).toEqual({
      status: 200,
      body: 'reached',
    });
    expect(connections()).toBe(1);
  });

  it('W-02 is refused without that authority, and the hint says how to name it', async () => {
    const { origin, port } = await service(['127.0.0.1']);
    expect(await callFrom({ NODE_EXTRA_CA_CERTS: '', TEST_URL: origin })).toEqual({
      code: 'upstream_unreachable',
      message: `the certificate of 127.0.0.1:${port} comes without the certificate of the authority that signed it, so nothing was sent`,
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
  });

  it.each([
    ['was made for another name', ['other.test'], {}],
    ['has expired', ['127.0.0.1'], { hasExpired: true }],
  ])('W-02 is refused all the same when it %s', async (words, names, options) => {
    const { origin } = await service(names, options);
    expect(await callFrom({ ...trusted(), TEST_URL: origin })).toMatchObject({
      code: 'upstream_unreachable',
      message: expect.stringContaining(words),
    });
  });
});
