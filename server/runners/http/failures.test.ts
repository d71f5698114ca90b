import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../../shared/errors.ts';
import { describeFailure, isOutage } from './failures.ts';
import { fakeLookup, testRunner } from './testing/runner.ts';
import { closedPort, httpServer, httpsServer, rawServer } from './testing/servers.ts';

function withCode(code: string, message = 'oops'): Error {
  return Object.assign(new Error(message), { code });
}

describe('W-02 certificates', () => {
  it('W-02 refuses a certificate that is not in order and names the switch', async () => {
    const server = await httpsServer((_request, response) => response.end('secret'));
    const error = await testRunner().fail(server.origin);
    expect(error.code).toBe('upstream_unreachable');
    expect(error.message).toMatch(/^the certificate of 127\.0\.0\.1:\d+ is self-signed, so nothing was sent$/);
    expect(error.hint).toContain('http.verify_tls: false');
  });

  it('W-02 verify_tls: false takes it, without lending the connection to calls that check', async () => {
    const server = await httpsServer((_request, response) => response.end('reached'));
    const runner = testRunner();
    expect((await runner.run(server.origin, { verifyTls: false })).body.toString()).toBe('reached');
    expect((await runner.fail(server.origin, { verifyTls: true })).code).toBe('upstream_unreachable');
  });

  it('W-02 verify_tls: false opens no address', async () => {
    const server = await httpsServer((_request, response) => response.end());
    const error = await testRunner().fail(server.origin, { verifyTls: false, hostFrom: 'manifest' });
    expect(error.code).toBe('address_refused');
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'was made for another name'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'comes without the certificate of the authority'],
  ])('W-02 %s is told as: it %s', (code, words) => {
    const error = describeFailure(withCode(code), { host: 'a.test', method: 'GET', stage: 'connecting' }, null);
    expect(error.message).toContain(`the certificate of a.test ${words}`);
    expect(error.hint).toContain('verify_tls');
  });

  it('W-02 a refused certificate does not count as an outage: whoever corrects it need not wait', async () => {
    const server = await httpsServer((_request, response) => response.end());
    const runner = testRunner();
    for (let count = 0; count < 6; count += 1) {
      expect((await runner.fail(server.origin)).code).toBe('upstream_unreachable');
    }
    expect((await runner.run(server.origin, { verifyTls: false })).status).toBe(200);
  });
});

describe('a service that cannot be reached', () => {
  it('refuses the connection', async () => {
    const port = await closedPort();
    const error = await testRunner().fail(`http://127.0.0.1:${port}/`);
    expect([error.code, error.message]).toEqual([
      'upstream_unreachable',
      `127.0.0.1:${port} refused the connection: nothing is listening there`,
    ]);
  });

  it('refuses the connection on each of its addresses', async () => {
    const port = await closedPort();
    const runner = testRunner({ lookup: fakeLookup(['127.0.0.1', '127.0.0.2']) });
    const error = await runner.fail(`http://api.test:${port}/`);
    expect(error.message).toBe(`api.test:${port} refused the connection: nothing is listening there`);
  });

  it.each([
    ['ENOTFOUND', 'api.test was not found: there is no such name'],
    ['EAI_AGAIN', 'api.test could not be looked up: the name service does not answer'],
  ])('has a name that is answered with %s', async (code, message) => {
    const runner = testRunner({ lookup: fakeLookup(withCode(code, `getaddrinfo ${code} api.test`)) });
    const error = await runner.fail('http://api.test/');
    expect([error.code, error.message]).toEqual(['upstream_unreachable', message]);
  });

  it('is plain HTTP behind an https address', async () => {
    const server = await httpServer((_request, response) => response.end());
    const error = await testRunner().fail(`https://127.0.0.1:${server.port}/`);
    expect(error.code).toBe('upstream_unreachable');
    expect(error.message).toContain('does not speak TLS as expected');
    expect(error.hint).toContain('http://');
  });

  it('hangs up during the TLS handshake', async () => {
    const server = await rawServer((socket) => socket.once('data', () => socket.destroy()));
    const error = await testRunner().fail(`https://127.0.0.1:${server.port}/`);
    expect([error.code, error.message]).toEqual([
      'upstream_unreachable',
      expect.stringContaining('closed the connection while it was being set up'),
    ]);
  });
});

describe('an answer that breaks off', () => {
  const saying = (text: string) => rawServer((socket) => socket.once('data', () => socket.end(text)));

  it.each([
    ['before its length is reached', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    [
      'before its length is reached, on a closing connection',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\nx',
    ],
    ['in the middle of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\nhalf'],
    [
      'before the last chunk',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
    ],
  ])('%s', async (_title, text) => {
    const server = await saying(text);
    const error = await testRunner().fail(server.origin);
    expect([error.code, error.message]).toEqual([
      'upstream_closed',
      `127.0.0.1:${server.port} closed the connection in the middle of its answer`,
    ]);
    expect(error.hint).toContain('Reading it again is safe');
  });

  it('before it begins', async () => {
    const server = await saying('');
    const error = await testRunner().fail(server.origin, { method: 'DELETE' });
    expect([error.code, error.message]).toEqual([
      'upstream_closed',
      `127.0.0.1:${server.port} closed the connection without answering`,
    ]);
    expect(error.hint).toContain('Check that before sending it again');
  });

  it('by a reset', async () => {
    const server = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
        setImmediate(() => socket.resetAndDestroy());
      });
    });
    expect((await testRunner().fail(server.origin)).code).toBe('upstream_closed');
  });

  it('because it is not HTTP at all', async () => {
    const server = await saying('220 mail.test ESMTP ready\r\n');
    const error = await testRunner().fail(server.origin);
    expect([error.code, error.message]).toEqual(['upstream_error', expect.stringContaining('did not answer in HTTP')]);
  });
});

describe('describing failures', () => {
  const attempt = { host: 'a.test', method: 'GET', stage: 'connecting' } as const;

  it('passes errors of Forge on as they are', () => {
    const error = new ForgeError('address_refused', 'no');
    expect(describeFailure(error, attempt, null)).toBe(error);
  });

  it.each([
    ['UND_ERR_CONNECT_TIMEOUT', 'upstream_timeout', 'a.test did not accept a connection within 10 seconds'],
    ['ETIMEDOUT', 'upstream_timeout', 'a.test did not accept a connection in time'],
    ['ENETUNREACH', 'upstream_unreachable', 'a.test cannot be reached: there is no way into its network'],
    ['SOMETHING_NEW', 'upstream_unreachable', 'a.test cannot be reached: oops'],
  ])('%s', (code, expected, message) => {
    const cause = withCode(code);
    const error = describeFailure(cause, attempt, null);
    expect([error.code, error.message, error.cause]).toEqual([expected, message, cause]);
  });

  it('counts as an outage what says the service is in trouble', () => {
    const codes = [
      'upstream_unreachable',
      'upstream_timeout',
      'upstream_closed',
      'address_refused',
      'cancelled',
    ] as const;
    expect(codes.filter((code) => isOutage(new ForgeError(code, '')))).toEqual(codes.slice(0, 3));
    expect(isOutage(new Error('bug'))).toBe(false);
  });
});
