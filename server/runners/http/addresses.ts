import { BlockList, isIP, isIPv4 } from 'node:net';

/** What kind of place an IP address is, as far as it matters for who may send Forge there. */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'benchmark'
  | 'link-local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'reserved';

interface Ranges {
  kind: AddressKind;
  ipv4: readonly string[];
  ipv6: readonly string[];
}

// The first kind that matches wins, so single addresses stand before the networks around them.
const RANGES: readonly Ranges[] = [
  {
    kind: 'metadata',
    // AWS, Google and others; Alibaba; Azure's host agent, which sits in public address space; Oracle.
    ipv4: ['169.254.169.254/32', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
    // AWS, Google, Oracle, Scaleway.
    ipv6: ['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128', 'fd00:42::42/128'],
  },
  { kind: 'unspecified', ipv4: ['0.0.0.0/8'], ipv6: ['::/128'] },
  { kind: 'loopback', ipv4: ['127.0.0.0/8'], ipv6: ['::1/128'] },
  { kind: 'link-local', ipv4: ['169.254.0.0/16'], ipv6: ['fe80::/10'] },
  { kind: 'private', ipv4: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], ipv6: ['fc00::/7', 'fec0::/10'] },
  { kind: 'shared', ipv4: ['100.64.0.0/10'], ipv6: [] },
  { kind: 'benchmark', ipv4: ['198.18.0.0/15'], ipv6: ['2001:2::/48'] },
  { kind: 'multicast', ipv4: ['224.0.0.0/4'], ipv6: ['ff00::/8'] },
  { kind: 'broadcast', ipv4: ['255.255.255.255/32'], ipv6: [] },
  {
    kind: 'reserved',
    // Protocol assignments, documentation, the 6to4 relay, class E.
    ipv4: ['192.0.0.0/24', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '192.88.99.0/24', '240.0.0.0/4'],
    // Teredo, ORCHID, documentation, and local NAT64, where it is not known which bits are the IPv4 address.
    ipv6: ['2001::/32', '2001:10::/28', '2001:20::/28', '2001:db8::/32', '3fff::/20', '64:ff9b:1::/48'],
  },
];

const TABLE = RANGES.map(({ kind, ipv4, ipv6 }) => ({
  kind,
  ipv4: blockList(ipv4, 'ipv4'),
  ipv6: blockList(ipv6, 'ipv6'),
}));

/** All of IPv6 that has been given out for use on the Internet. */
const GLOBAL_IPV6 = blockList(['2000::/3'], 'ipv6');

/** IPv6 addresses that stand for an IPv4 address: the groups they start with, and the group where the IPv4 address begins. */
const EMBEDDINGS: readonly { prefix: readonly number[]; at: number }[] = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // mapped
  { prefix: [0, 0, 0, 0, 0xffff, 0], at: 6 }, // translated
  { prefix: [0, 0, 0, 0, 0, 0], at: 6 }, // compatible
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 }, // NAT64
  { prefix: [0x2002], at: 1 }, // 6to4
];

/** Classifies an address, looking through the IPv6 spellings of IPv4; what is not an address counts as reserved. */
export function classifyAddress(address: string): AddressKind {
  const zone = address.indexOf('%');
  const bare = zone === -1 ? address : address.slice(0, zone);
  const family = isIP(bare);
  if (family === 0) return 'reserved';
  if (family === 4) return TABLE.find((entry) => entry.ipv4.check(bare, 'ipv4'))?.kind ?? 'public';
  const kind = TABLE.find((entry) => entry.ipv6.check(bare, 'ipv6'))?.kind;
  if (kind !== undefined) return kind;
  const embedded = embeddedIpv4(bare);
  if (embedded !== null) return classifyAddress(embedded);
  return GLOBAL_IPV6.check(bare, 'ipv6') ? 'public' : 'reserved';
}

/** The IP address a URL names outright, without the brackets of IPv6, or null when it names a host. */
export function literalAddress(url: URL): string | null {
  const { hostname } = url;
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return isIPv4(hostname) ? hostname : null;
}

/** True for addresses of this computer and for the names that by definition mean it. */
export function namesLoopback(url: URL): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return classifyAddress(literal) === 'loopback';
  const name = url.hostname.replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}

function embeddedIpv4(address: string): string | null {
  const groups = ipv6Groups(address);
  const embedding = EMBEDDINGS.find(({ prefix }) => prefix.every((group, index) => groups[index] === group));
  if (embedding === undefined) return null;
  const [high = 0, low = 0] = groups.slice(embedding.at);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight numbers of an IPv6 address; the URL parser has already turned every spelling into one. */
function ipv6Groups(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
