import { ConnectorDetail, ConnectorList, EnableRequest, RemoveAnswer, RemoveQuery } from '../../../shared/api.ts';
import { ForgeError, type ErrorCode } from '../../../shared/errors.ts';
import type { CallLog } from '../../calls/call-log.ts';
import type { Installed } from '../../connectors/catalog.ts';
import { describe, summarise, type Circumstances } from '../../connectors/overview.ts';
import type { RegistryEntry } from '../../connectors/registry.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const LOGGED_OUT: ErrorCode = 'login_required';

/** Installed connectors: list, look, switch, remove. */
export function connectorRoutes(services: Services): Route[] {
  const { accepted, calls, catalog, health, toolModes, installer, registry, settings } = services;
  const around = (installed: Installed, offered: RegistryEntry | undefined): Circumstances => ({
    offered,
    isLoggedOut: hasSites(installed) && wasLoggedOut(calls.log, installed.id),
    isUnread: accepted.isNews(installed) || hasNewClaims(installed, toolModes),
    health: health.of(installed.id),
  });
  const detail = (id: string): Reply => {
    const installed = catalog.get(id);
    const offered = registry.known().find((entry) => entry.id === id);
    return { body: describe(installed, settings, toolModes, around(installed, offered)) };
  };

  return [
    route({
      method: 'GET',
      path: '/api/connectors',
      summary: 'All installed connectors with their state.',
      access: 'token',
      answers: { status: 200, schema: ConnectorList },
      handle: () => {
        const offers = new Map(registry.known().map((entry) => [entry.id, entry]));
        const connectors = catalog
          .list()
          .map((installed) => summarise(installed, settings, around(installed, offers.get(installed.id))));
        return { body: { connectors } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id',
      summary: 'One connector with its tools, diagnostics and reach.',
      access: 'token',
      answers: { status: 200, schema: ConnectorDetail },
      handle: ({ params }) => detail(params['id'] ?? ''),
    }),
    route({
      method: 'PATCH',
      path: '/api/connectors/:id',
      summary: 'Switch a connector on or off.',
      access: 'token',
      fromPage: ({ body }) => (body.enabled ? 'confirmed' : 'narrows'),
      describe: ({ params }) => {
        const { name, version, id } = catalog.getPackage(params['id'] ?? '');
        return { title: `Switch on ${name} ${version}`, verb: 'Switch on', lines: [{ label: 'Connector', text: id }] };
      },
      body: { json: EnableRequest },
      answers: { status: 200, schema: ConnectorDetail },
      handle: ({ params, body }) => {
        const id = params['id'] ?? '';
        installer.setEnabled(id, body.enabled);
        return detail(id);
      },
    }),
    removeRoute(services),
    route({
      method: 'POST',
      path: '/api/connectors/:id/refresh',
      summary: 'Read the connector from disk again.',
      access: 'token',
      fromPage: 'reads',
      answers: { status: 200, schema: ConnectorDetail },
      handle: async ({ params }) => {
        const { id, package: pack } = catalog.get(params['id'] ?? '');
        if (pack !== null) await settings.adopt(pack);
        return detail(id);
      },
    }),
  ];
}

function removeRoute({ calls, catalog, installer }: Services): Route {
  return route({
    method: 'DELETE',
    path: '/api/connectors/:id',
    summary: 'Remove a connector; its settings are kept or deleted, as the query says.',
    access: 'token',
    fromPage: ({ query }) => (query.settings === 'delete' ? 'confirmed' : 'narrows'),
    describe: ({ params }) => {
      const { id, package: pack } = catalog.get(params['id'] ?? '');
      const lines = [{ label: 'Its settings', text: 'are deleted, secrets included' }];
      return { title: `Remove ${pack?.name ?? id}`, verb: 'Remove', lines };
    },
    query: RemoveQuery,
    answers: { status: 200, schema: RemoveAnswer },
    handle: ({ params, query }) => {
      const { id } = catalog.get(params['id'] ?? '');
      if (query.settings === undefined) {
        throw new ForgeError('settings_choice_required', `say what happens to the settings of ${id}`);
      }
      installer.remove(id, query.settings === 'delete');
      // Another connector under the same id must not inherit what was allowed to this one.
      calls.approvals.forgetConnector(id);
      return { body: { ok: true, id, settings: query.settings } };
    },
  });
}

/** Whether the last call of a connector found nobody logged in. */
export function wasLoggedOut(log: CallLog, connector: string): boolean {
  return log.latest(connector)?.code === LOGGED_OUT;
}

function hasNewClaims({ package: pack }: Installed, toolModes: Services['toolModes']): boolean {
  return pack !== null && toolModes.hasNewClaims(pack);
}

function hasSites({ package: pack }: Installed): boolean {
  return pack?.connectors.some(({ host_match }) => host_match !== null) ?? false;
}
