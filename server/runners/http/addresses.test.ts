import { describe, expect, it } from 'vitest';
import { classifyAddress, literalAddress, namesLoopback, type AddressKind } from './addresses.ts';

const KINDS: Record<AddressKind, readonly string[]> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ],
  loopback: [
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2002:7f00:0001:dead::beef',
  ],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
    '::ffff:192.168.1.1',
    '::ffff:c0a8:101',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '2002:c0a8:101::1',
  ],
  shared: ['100.64.0.0', '100.127.255.255', '::ffff:100.64.0.1', '64:ff9b::100.64.0.1'],
  benchmark: ['198.18.0.0', '198.19.255.255', '::ffff:198.18.0.1', '2001:2::1'],
  'link-local': ['169.254.0.1', '169.254.170.2', 'fe80::1', 'febf::1', 'fe80::1%eth0', '::ffff:169.254.1.1'],
  metadata: [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:0ec2:0:0:0:0:0:254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '::ffff:100.100.100.200',
  ],
  unspecified: ['0.0.0.0', '0.1.2.3', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '64:ff9b::', '::2'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', '::ffff:224.0.0.1'],
  broadcast: ['255.255.255.255', '::ffff:255.255.255.255'],
  reserved: [
    '192.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '240.0.0.1',
    '255.255.255.254',
    '2001:db8::1',
    '3fff::1',
    '2001::1',
    '2001:10::1',
    '64:ff9b:1::127.0.0.1',
    '100::1',
    '4000::1',
    'not an address',
    '',
  ],
};

describe('K-61 the kind of an address', () => {
  const rows = Object.entries(KINDS).flatMap(([kind, addresses]) => addresses.map((address) => ({ kind, address })));
  it.each(rows)('K-61 $address is $kind', ({ kind, address }) => {
    expect(classifyAddress(address)).toBe(kind);
  });
});

describe('what a URL names', () => {
  it.each([
    ['http://127.0.0.1/', '127.0.0.1', true],
    ['http://0x7f.1/', '127.0.0.1', true],
    ['http://2130706433/', '127.0.0.1', true],
    ['http://0177.0.0.1/', '127.0.0.1', true],
    ['http://127.1:80/', '127.0.0.1', true],
    ['http://127.0.0.1./', '127.0.0.1', true],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1', true],
    ['http://[::1]/', '::1', true],
    ['http://10.0.0.1/', '10.0.0.1', false],
    ['http://localhost/', null, true],
    ['http://LOCALHOST./', null, true],
    ['http://api.localhost/', null, true],
    ['http://localhost.example.com/', null, false],
    ['http://notlocalhost/', null, false],
  ])('%s', (text, literal, isLoopback) => {
    const url = new URL(text);
    expect({ literal: literalAddress(url), isLoopback: namesLoopback(url) }).toEqual({ literal, isLoopback });
  });
});
