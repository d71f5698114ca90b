import { ConnectorDetail, ConnectorList, EnableRequest, RemoveAnswer, RemoveQuery } from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { describe, summarise } from '../../connectors/overview.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Installed connectors: list, look, switch, remove. */
export function connectorRoutes({ calls, catalog, installer, registry, settings }: Services): Route[] {
  const detail = (id: string): Reply => ({
    body: describe(
      catalog.get(id),
      settings,
      registry.known().find((entry) => entry.id === id),
    ),
  });

  return [
    route({
      method: 'GET',
      path: '/api/connectors',
      summary: 'All installed connectors with their state.',
      access: 'token',
      answers: { status: 200, schema: ConnectorList },
      handle: () => {
        const offers = new Map(registry.known().map((entry) => [entry.id, entry]));
        const connectors = catalog.list().map((installed) => summarise(installed, settings, offers.get(installed.id)));
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
      body: { json: EnableRequest },
      answers: { status: 200, schema: ConnectorDetail },
      handle: ({ params, body }) => {
        const id = params['id'] ?? '';
        installer.setEnabled(id, body.enabled);
        return detail(id);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/connectors/:id',
      summary: 'Remove a connector; its settings are kept or deleted, as the query says.',
      access: 'token',
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
    }),
    route({
      method: 'POST',
      path: '/api/connectors/:id/refresh',
      summary: 'Read the connector from disk again.',
      access: 'token',
      answers: { status: 200, schema: ConnectorDetail },
      handle: async ({ params }) => {
        const { id, package: pack } = catalog.get(params['id'] ?? '');
        if (pack !== null) await settings.adopt(pack);
        return detail(id);
      },
    }),
  ];
}
