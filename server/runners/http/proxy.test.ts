import http from 'node:http';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { chooseProxy } from './proxy.ts';
import { fakeLookup, testRunner } from './testing/runner.ts';
import { closedPort, httpServer, httpsServer, listen } from './testing/servers.ts';

describe('choosing a proxy', () => {
  const proxy = { http: 'http://proxy.test:3128', https: 'proxy.test:3129' };
  it.each([
    ['http://api.test/', '', 'proxy.test:3128'],
    ['https://api.test/', '', 'proxy.test:3129'],
    ['http://127.0.0.1/', '', null],
    ['http://127.1:8080/', '', null],
    ['http://[::1]/', '', null],
    ['http://localhost:3000/', '', null],
    ['http://app.localhost/', '', null],
    ['http://10.0.0.1/', '', 'proxy.test:3128'],
    ['http://api.test/', '*', null],
    ['http://api.test/', 'other.test, api.test', null],
    ['http://API.test./', 'api.test', null],
    ['http://v2.api.test/', 'api.test', null],
    ['http://v2.api.test/', '.api.test', null],
    ['http://v2.api.test/', '*.API.test', null],
    ['http://myapi.test/', 'api.test', 'proxy.test:3128'],
    ['http://api.test:81/', 'api.test:81', null],
    ['http://api.test/', 'api.test:80', null],
    ['http://api.test/', 'api.test:81', 'proxy.test:3128'],
    ['http://10.0.0.1/', '10.0.0.1', null],
    ['http://[fd00::1]/', 'fd00::1', null],
    ['http://[fd00::1]:81/', '[fd00::1]:81', null],
  ])('%s with NO_PROXY %j goes through %s', (url, noProxy, expected) => {
    expect(chooseProxy({ ...proxy, noProxy })(new URL(url))?.host ?? null).toBe(expected);
  });

  it('uses each proxy for its own scheme only', () => {
    expect(chooseProxy({ http: proxy.http })(new URL('https://api.test/'))).toBeNull();
    expect(chooseProxy({ https: proxy.https })(new URL('http://api.test/'))).toBeNull();
    expect(chooseProxy({ http: ' ', https: undefined })(new URL('http://api.test/'))).toBeNull();
  });

  it.each(['socks5://proxy.test', 'http://user:pass word@:80', 'http://'])(
    'turns down %s without repeating it',
    (value) => {
      expect(() => chooseProxy({ https: value })).toThrow(
        expect.objectContaining({
          code: 'invalid_config',
          message: 'HTTPS_PROXY must be the address of a proxy, such as http://proxy.example:3128',
        }),
      );
    },
  );
});

/** A proxy that takes every host to one port of this computer. */
async function testProxy(port: number, refuse: number | null = null) {
  const seen: { line: string; auth: string | undefined }[] = [];
  const note = (request: http.IncomingMessage) => {
    seen.push({ line: `${request.method} ${request.url}`, auth: request.headers['proxy-authorization'] });
  };
  const server = http.createServer((request, response) => {
    note(request);
    if (refuse !== null) {
      response.writeHead(refuse).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? '');
    const options = { port, method: request.method, path: pathname + search, headers: request.headers };
    request.pipe(
      http.request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  server.on('connect', (request, socket: net.Socket) => {
    note(request);
    if (refuse !== null) {
      socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
      return;
    }
    const onward = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return { ...(await listen(server, 'http')), seen };
}

describe('going through a proxy', () => {
  it('forwards plain HTTP, and leaves looking up names to the proxy', async () => {
    const upstream = await httpServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
    const proxy = await testProxy(upstream.port);
    const lookup = fakeLookup(['127.0.0.1']);
    const runner = testRunner({ lookup, proxy: { http: proxy.origin } });
    for (let count = 0; count < 3; count += 1) {
      await nextTurn();
      const response = await runner.run('http://api.test/path?q=1', { hostFrom: 'manifest' });
      expect(response.body.toString()).toBe('api.test /path?q=1');
    }
    expect(proxy.seen.map(({ line }) => line)).toEqual(new Array(3).fill('GET http://api.test/path?q=1'));
    expect([lookup.asked, proxy.connections()]).toEqual([[], 1]);
  });

  it('W-02 tunnels HTTPS, and checks the certificate of the service behind', async () => {
    const upstream = await httpsServer((_request, response) => response.end('through the tunnel'));
    const proxy = await testProxy(upstream.port);
    const runner = testRunner({ proxy: { https: proxy.origin } });
    const error = await runner.fail('https://api.test/');
    expect(error.message).toContain(`the certificate of api.test (through the proxy 127.0.0.1:${proxy.port})`);
    const response = await runner.run('https://api.test/', { verifyTls: false });
    expect(response.body.toString()).toBe('through the tunnel');
    expect(proxy.seen.map(({ line }) => line)).toEqual(['CONNECT api.test:443', 'CONNECT api.test:443']);
  });

  it('shows the proxy its credentials, in requests and in tunnels', async () => {
    const upstream = await httpServer((_request, response) => response.end());
    const proxy = await testProxy(upstream.port);
    const address = `http://me:p%40ss@127.0.0.1:${proxy.port}`;
    const runner = testRunner({ proxy: { http: address, https: address } });
    // The service behind the tunnel does not speak TLS; the tunnel is what matters here.
    await runner.fail('https://api.test/');
    await runner.run('http://api.test/');
    const auth = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(proxy.seen).toEqual([
      { line: 'CONNECT api.test:443', auth },
      { line: 'GET http://api.test/', auth },
    ]);
  });

  it('never takes calls to this computer there', async () => {
    const upstream = await httpServer((_request, response) => response.end('direct'));
    const proxy = await testProxy(upstream.port);
    const runner = testRunner({ proxy: { http: proxy.origin } });
    expect((await runner.run(upstream.origin)).body.toString()).toBe('direct');
    expect((await runner.run(`http://localhost:${upstream.port}/`)).body.toString()).toBe('direct');
    expect(proxy.connections()).toBe(0);
  });

  it.each([
    ['http://10.0.0.1/', 'manifest'],
    ['http://[::ffff:192.168.0.1]/', 'manifest'],
    ['http://169.254.169.254/', 'person'],
    ['http://0xa9fea9fe/', 'person'],
    ['http://metadata.google.internal/', 'person'],
  ] as const)('K-61 still refuses %s to a %s', async (url, hostFrom) => {
    const proxy = await testProxy(1);
    const error = await testRunner({ proxy: { http: proxy.origin } }).fail(url, { hostFrom });
    expect([error.code, proxy.connections()]).toEqual(['address_refused', 0]);
  });

  it('names the proxy when it is the proxy that fails, without its password', async () => {
    const port = await closedPort();
    const runner = testRunner({ proxy: { http: `http://me:hunter2@127.0.0.1:${port}` } });
    const error = await runner.fail('http://api.test/');
    expect([error.code, error.message]).toEqual([
      'upstream_unreachable',
      `api.test (through the proxy 127.0.0.1:${port}) refused the connection: nothing is listening there`,
    ]);
  });

  it.each([
    ['https://api.test/', 403, /through the proxy.*403/],
    ['https://api.test/', 407, /through the proxy.*407/],
    ['http://api.test/', 407, /through the proxy.*407/],
  ])('tells when the proxy turns %s away with %i', async (url, status, message) => {
    const proxy = await testProxy(1, status);
    const error = await testRunner({ proxy: { http: proxy.origin, https: proxy.origin } }).fail(url);
    expect([error.code, error.message]).toEqual(['upstream_unreachable', expect.stringMatching(message)]);
  });

  it('C-55 counts the proxy’s time as the call’s', async () => {
    const silent = await httpServer(() => undefined);
    const error = await testRunner({ proxy: { http: silent.origin } }).fail('http://api.test/', { timeoutMs: 50 });
    expect(error.code).toBe('upstream_timeout');
  });
});
