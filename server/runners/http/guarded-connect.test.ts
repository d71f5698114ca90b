import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../job.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { fakeLookup, testRunner } from './testing/runner.ts';
import { httpServer, type TestServer } from './testing/servers.ts';

const answering = (): Promise<TestServer> => httpServer((_request, response) => response.end('reached'));

const LOOPBACK_SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '127.0.0.2',
  '１２７.０.０.１',
  '127。0。0。1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
];

describe('K-61 hosts written as an address', () => {
  it.each(LOOPBACK_SPELLINGS)('K-61 a manifest cannot send Forge to this computer as %s', async (host) => {
    const server = await answering();
    const error = await testRunner().fail(`http://${host}:${server.port}/`, { hostFrom: 'manifest' });
    expect(error.code).toBe('address_refused');
    expect(error.message).toContain('this computer');
    expect(error.hint).toContain('a person must put');
    expect(server.connections()).toBe(0);
  });

  it.each(LOOPBACK_SPELLINGS)('K-61 nobody reaches a port of Forge as %s', async (host) => {
    const server = await answering();
    const error = await testRunner({ ownPorts: () => [server.port] }).fail(`http://${host}:${server.port}/`);
    expect(error.code).toBe('address_refused');
    expect(error.message).toContain(`port ${server.port} is Forge’s own`);
    expect(server.connections()).toBe(0);
  });

  it.each(['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '198.18.0.1', '[fd12::1]', '[::ffff:10.0.0.1]'])(
    'K-61 a manifest cannot send Forge to the private address %s',
    async (host) => {
      const error = await testRunner().fail(`http://${host}/`, { hostFrom: 'manifest' });
      expect(error.code).toBe('address_refused');
      expect(error.hint).toContain('into a setting of the connector');
    },
  );

  it.each([
    ['0.0.0.0', 'no particular computer'],
    ['0', 'no particular computer'],
    ['[::]', 'no particular computer'],
    ['[::ffff:0.0.0.0]', 'no particular computer'],
    ['169.254.169.254', 'metadata service'],
    ['0xa9fea9fe', 'metadata service'],
    ['2852039166', 'metadata service'],
    ['[::ffff:169.254.169.254]', 'metadata service'],
    ['[fd00:ec2::254]', 'metadata service'],
    ['100.100.100.200', 'metadata service'],
    ['metadata.google.internal', 'metadata service'],
    ['METADATA.google.internal.', 'metadata service'],
    ['169.254.1.1', 'the local link'],
    ['[fe80::1]', 'the local link'],
    ['224.0.0.1', 'multicast'],
    ['[ff02::1]', 'multicast'],
    ['255.255.255.255', 'every computer'],
    ['203.0.113.7', 'reserved'],
    ['[2001:db8::1]', 'reserved'],
  ])('K-61 %s is refused to a person too: %s', async (host, reason) => {
    const server = await answering();
    const error = await testRunner().fail(`http://${host}:${server.port}/`);
    expect(error.code).toBe('address_refused');
    expect(error.message).toContain(reason);
    expect(server.connections()).toBe(0);
  });

  it('K-61 a person may send Forge to a service on this computer', async () => {
    const server = await answering();
    const response = await testRunner({ ownPorts: () => [server.port + 1] }).run(`${server.origin}/`);
    expect(response.body.toString()).toBe('reached');
  });
});

describe('K-61 hosts written as a name', () => {
  it.each<[HttpRequest['hostFrom'], string]>([
    ['manifest', '127.0.0.1'],
    ['manifest', '::1'],
    ['manifest', '::ffff:127.0.0.1'],
    ['manifest', '10.1.2.3'],
    ['person', '169.254.169.254'],
    ['person', 'fe80::1%lo'],
    ['person', '0.0.0.0'],
  ])('K-61 a name of a %s that resolves to %s is refused, with both in the message', async (hostFrom, address) => {
    const server = await answering();
    const error = await testRunner({ lookup: fakeLookup([address]) }).fail(`http://api.test:${server.port}/`, {
      hostFrom,
    });
    expect(error.code).toBe('address_refused');
    expect(error.message).toContain(`api.test resolved to ${address}`);
    expect(server.connections()).toBe(0);
  });

  it('K-61 a name that resolves to this computer does not reach a port of Forge', async () => {
    const server = await answering();
    const runner = testRunner({ lookup: fakeLookup(['127.0.0.1']), ownPorts: () => [server.port] });
    expect((await runner.fail(`http://api.test:${server.port}/`)).code).toBe('address_refused');
    expect(server.connections()).toBe(0);
  });

  it('K-61 connects to the answer that was checked, whatever the name resolves to a moment later', async () => {
    const server = await answering();
    const lookup = fakeLookup(['127.0.0.1'], ['169.254.169.254']);
    const response = await testRunner({ lookup }).run(`http://api.test:${server.port}/`);
    expect(response.body.toString()).toBe('reached');
    expect(lookup.asked).toEqual(['api.test']);
  });

  it('K-61 hands the socket the checked public address and never asks again', async () => {
    const lookup = fakeLookup(['93.184.216.34'], ['127.0.0.1']);
    const guarded = guardedLookup(new URL('http://api.test/'), { hostFrom: 'manifest', ownPorts: () => [], lookup });
    const all = await new Promise((resolve) => {
      guarded('api.test', { all: true }, (error, addresses) => resolve([error, addresses]));
    });
    expect(all).toEqual([null, [{ address: '93.184.216.34', family: 4 }]]);
    expect(lookup.asked).toHaveLength(1);
    const rebound = await new Promise<Error | null>((resolve) => {
      guarded('api.test', { all: true }, (error) => resolve(error));
    });
    expect(rebound?.message).toContain('api.test resolved to 127.0.0.1');
  });

  it('K-61 checks every new connection again', async () => {
    const server = await httpServer((_request, response) => response.setHeader('connection', 'close').end('reached'));
    const runner = testRunner({ lookup: fakeLookup(['127.0.0.1'], ['169.254.169.254']) });
    expect((await runner.run(`http://api.test:${server.port}/`)).status).toBe(200);
    expect((await runner.fail(`http://api.test:${server.port}/`)).code).toBe('address_refused');
    expect(server.connections()).toBe(1);
  });

  it('K-61 does not lend a connection a person allowed to a host of the manifest', async () => {
    const server = await answering();
    const runner = testRunner();
    expect((await runner.run(`${server.origin}/`)).status).toBe(200);
    expect((await runner.fail(`${server.origin}/`, { hostFrom: 'manifest' })).code).toBe('address_refused');
    expect(server.connections()).toBe(1);
  });

  it('K-61 leaves out the addresses of a name that are refused and uses the rest', async () => {
    const server = await answering();
    const runner = testRunner({ lookup: fakeLookup(['fe80::1', '169.254.169.254', '127.0.0.1']) });
    expect((await runner.run(`http://nas.test:${server.port}/`)).status).toBe(200);
  });

  it.each<[boolean, unknown]>([
    [true, [{ address: '8.8.8.8', family: 4 }]],
    [false, '8.8.8.8'],
  ])('answers a socket that asks with all: %s', async (all, expected) => {
    const lookup = fakeLookup(['10.0.0.1', '8.8.8.8']);
    const guarded = guardedLookup(new URL('http://api.test/'), { hostFrom: 'manifest', ownPorts: () => [], lookup });
    const answer = await new Promise<string | LookupAddress[]>((resolve) => {
      guarded('api.test', { all }, (_error, address) => resolve(address));
    });
    expect(answer).toEqual(expected);
  });

  it('says so when a name has no address at all', async () => {
    const error = await testRunner({ lookup: fakeLookup([]) }).fail('http://api.test/');
    expect([error.code, error.message]).toEqual(['upstream_unreachable', 'api.test has no address']);
  });
});
