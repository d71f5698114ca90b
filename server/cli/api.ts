import type { Static } from '@sinclair/typebox';
import type {
  ConnectorDetail,
  ConnectorList,
  DiffAnswer,
  InstallAnswer,
  MarketplaceAnswer,
  RotateAnswer,
  SecretsAnswer,
  SettingsAnswer,
  TokenAnswer,
  ToolList,
} from '../../shared/api.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Request } from './client.ts';

/** Wider than ids are: whether there is such a connector is the server's to say. */
const WORD = /^[\w-]{1,64}$/;

export type ForgeApi = ReturnType<typeof forgeApi>;

/**
 * The routes that commands use, by name. The server checks nothing on the way out, but its answers are typed by the very
 * schemas these types are made from, which is why each cast below is safe.
 */
export function forgeApi(request: Request) {
  const get = (path: string) => request('GET', path);
  const post = (path: string, body?: unknown) => request('POST', path, body);
  const at = (id: string, rest = '') => `/api/connectors/${checkedId(id)}${rest}`;
  return {
    connectors: async () => ((await get('/api/connectors')) as Static<typeof ConnectorList>).connectors,
    connector: async (id: string) => (await get(at(id))) as ConnectorDetail,
    refresh: async (id: string) => (await post(at(id, '/refresh'))) as ConnectorDetail,
    setEnabled: async (id: string, enabled: boolean) =>
      (await request('PATCH', at(id), { enabled })) as ConnectorDetail,
    remove: (id: string, settings: 'keep' | 'delete') => request('DELETE', at(id, `?settings=${settings}`)),
    /** A manifest's text, or a whole package as a zip. */
    install: async (source: { yaml: string } | Uint8Array) =>
      (await post('/api/connectors/install-local', source)) as InstallAnswer,
    installOffered: async (id: string) =>
      (await post(`/api/connectors/marketplace/${checkedId(id)}/install`)) as InstallAnswer,
    marketplace: async (refresh = false) =>
      (await get(`/api/connectors/marketplace${refresh ? '?refresh=true' : ''}`)) as MarketplaceAnswer,
    /** Against the registry's version. */
    diff: async (id: string) => (await get(at(id, '/diff'))) as DiffAnswer,
    diffManifest: async (id: string, yaml: string) => (await post(at(id, '/diff'), { yaml })) as DiffAnswer,
    settings: async (id: string) => (await get(at(id, '/settings'))) as SettingsAnswer,
    saveSettings: async (id: string, values: Record<string, unknown>, revision: number) =>
      (await request('PUT', at(id, '/settings'), { values, revision })) as SettingsAnswer,
    tools: async () => ((await get('/api/tools')) as Static<typeof ToolList>).tools,
    rotateToken: async () => ((await post('/api/auth/rotate')) as Static<typeof TokenAnswer>).token,
    secrets: async () => (await get('/api/secrets')) as SecretsAnswer,
    rotateSecrets: async () => (await post('/api/secrets/rotate')) as RotateAnswer,
  };
}

/** What could not be an id must not become part of an address. */
function checkedId(id: string): string {
  // `marketplace` stands where an id stands, and no connector may be called so.
  if (WORD.test(id) && id !== 'marketplace') return id;
  throw new ForgeError('connector_not_found', `${JSON.stringify(id.slice(0, 80))} cannot be the id of a connector`);
}
