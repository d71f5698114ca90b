import { ForgeError } from '../../shared/errors.ts';
import { templateSettings } from '../../shared/manifest/connector.ts';
import { secretsToNamedHost } from '../../shared/manifest/secret-flows.ts';
import { isOwnUrl } from '../../shared/own-origins.ts';
import { isEmpty } from '../../shared/template/scope.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import { refuseHost } from '../runners/http/address-rules.ts';
import type { CallScope } from './call-scope.ts';
import type { Expanded } from './expand-tool.ts';
import type { HostSource } from './host-source.ts';
import { parseUrl } from '../../shared/parse-url.ts';

const NONE: readonly HostSource[] = [];

/**
 * The hosts that an argument names, which a person has to allow. One that Forge would not connect to whatever the person says is refused
 * here, so that nobody is asked about it. A browser goes where the person could go, too.
 */
export function namedHosts(
  { job, hosts }: Pick<Expanded, 'job' | 'hosts'>,
  ownPorts: readonly number[],
): readonly HostSource[] {
  if (hosts.every(({ from }) => from !== 'argument')) return NONE;
  const named = hosts.filter(({ from }) => from === 'argument');
  if (job.protocol !== 'browser') for (const { host } of named) requireOpen(host, ownPorts);
  return named;
}

function requireOpen(host: string, ownPorts: readonly number[]): void {
  const address = parseUrl(`http://${host}/`);
  if (address === null) return;
  if (isOwnUrl(address.href, ownPorts))
    throw new ForgeError('address_refused', `${host} is this computer, and that port is Forge’s own`);
  const refusal = refuseHost(address, { hostFrom: 'person', ownPorts: () => ownPorts });
  if (refusal !== null) throw refusal;
}

/** What a person is asked about a host that an argument names: what would be sent there, and which saved secrets with it. */
export function hostQuestion({ connector, tool, package: pack }: ToolEntry, host: string, scope: CallScope): string {
  const named = `${host}, which an argument of the call names`;
  if (tool.protocol === 'browser') return `${connector.name} would open ${named}, in your browser.`;
  const declared = templateSettings(pack.settings);
  const isSaved = (name: string): boolean => {
    const [top = ''] = name.split('.');
    return !Object.hasOwn(declared, top) || !isEmpty(scope.settings[top]);
  };
  const secrets = secretsToNamedHost(tool, pack.settings, isSaved);
  const act = tool.protocol === 'http' ? `send a ${tool.request.method ?? 'GET'} request to` : 'log in to';
  const along = secrets.length === 0 ? 'No saved secret goes with it.' : `It sends your saved ${secrets.join(', ')}.`;
  return `${connector.name} would ${act} ${named}. ${along}`;
}
