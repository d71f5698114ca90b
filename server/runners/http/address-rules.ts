import { ForgeError } from '../../../shared/errors.ts';
import type { HttpRequest } from '../job.ts';
import { classifyAddress, literalAddress, type AddressKind } from './addresses.ts';

/** Who named the host, and which ports on this computer are Forge's own. */
export interface AddressRules {
  hostFrom: HttpRequest['hostFrom'];
  ownPorts: () => readonly number[];
}

const PLACES: Record<AddressKind, string> = {
  public: 'the Internet',
  loopback: 'this computer',
  private: 'a private network',
  shared: 'a network behind a carrier’s NAT',
  benchmark: 'a network for measurements',
  'link-local': 'the local link',
  metadata: 'a cloud provider’s metadata service',
  unspecified: 'no particular computer',
  multicast: 'a multicast group',
  broadcast: 'every computer on the network',
  reserved: 'a reserved range',
};

/** Kinds a person may send Forge to by writing the host down; the rest is refused to everybody. */
const OPEN_TO_A_PERSON: ReadonlySet<AddressKind> = new Set(['public', 'loopback', 'private', 'shared', 'benchmark']);

/** Names that mean a metadata service wherever they resolve, which matters when a proxy does the resolving. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'instance-data.ec2.internal',
]);

/** The port a URL leads to, also when it is left out. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Refuses a URL by what is written in it: an address given outright, or a name that is never right. */
export function refuseHost(url: URL, rules: AddressRules): ForgeError | null {
  const literal = literalAddress(url);
  if (literal !== null) return refuseAddress(url, literal, rules);
  if (!METADATA_NAMES.has(url.hostname.replace(/\.$/, ''))) return null;
  return new ForgeError('address_refused', `${url.hostname} is ${PLACES.metadata}`);
}

/** Refuses an address that a URL's host is or resolved to, or gives null when Forge may connect to it. */
export function refuseAddress(url: URL, address: string, rules: AddressRules): ForgeError | null {
  const kind = classifyAddress(address);
  if (kind === 'public') return null;
  const port = portOf(url);
  const isLiteral = literalAddress(url) === address;
  const subject = isLiteral ? address : `${url.hostname} resolved to ${address}, which`;
  if (!OPEN_TO_A_PERSON.has(kind)) return new ForgeError('address_refused', `${subject} is ${PLACES[kind]}`);
  if (kind === 'loopback' && rules.ownPorts().includes(port)) {
    return new ForgeError('address_refused', `${subject} is this computer, and port ${port} is Forge’s own`);
  }
  if (rules.hostFrom === 'person') return null;
  return new ForgeError('address_refused', `${subject} is ${PLACES[kind]}; a manifest alone may not send Forge there`, {
    hint: `If this is the right place, a person must put ${isLiteral ? address : url.host} into a setting of the connector, and the manifest must take the whole host from it.`,
  });
}
