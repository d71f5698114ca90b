import { FieldsAnswer, RotateAnswer, SecretsAnswer, SettingsAnswer, SettingsRequest } from '../../../shared/api.ts';
import { describeSettings } from '../confirm/describe-settings.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Settings of a connector, and the key that seals their secrets. */
export function settingsRoutes({ calls, execution, catalog, health, settings, secrets }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/connectors/:id/settings',
      summary: 'The form of a connector and what is saved in it; secrets only as marks.',
      access: 'token',
      answers: { status: 200, schema: SettingsAnswer },
      handle: ({ params }) => {
        const view = settings.view(catalog.getPackage(params['id'] ?? ''));
        return { body: view, headers: { ETag: `"${view.revision}"` } };
      },
    }),
    route({
      method: 'PUT',
      path: '/api/connectors/:id/settings',
      summary: 'Save settings: all of them or, when one is wrong, none.',
      access: 'token',
      describe: ({ params, body, header }) => {
        const pack = catalog.getPackage(params['id'] ?? '');
        const expected = body.revision ?? revisionIn(header('if-match'));
        return describeSettings(pack.name, settings.planned(pack, body.values, expected));
      },
      body: { json: SettingsRequest },
      answers: { status: 200, schema: SettingsAnswer },
      handle: async ({ params, body, header }) => {
        const expected = body.revision ?? revisionIn(header('if-match'));
        const pack = catalog.getPackage(params['id'] ?? '');
        const view = await settings.save(pack, body.values, expected);
        health.forget(pack.id);
        return { body: view, headers: { ETag: `"${view.revision}"` } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/settings/fields',
      summary: 'The settings of all connectors by their names, without what is saved in them.',
      access: 'token',
      answers: { status: 200, schema: FieldsAnswer },
      handle: () => {
        const fields = catalog.list().flatMap(({ package: pack }) => {
          if (pack === null) return [];
          const { id: connector, name: connector_name } = pack;
          return Object.entries(pack.settings).map(([name, field]) => ({
            ...{ connector, connector_name, name },
            label: field.label ?? name,
          }));
        });
        return { body: { fields } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/secrets',
      summary: 'Where the key is and how many secrets it seals.',
      access: 'token',
      answers: { status: 200, schema: SecretsAnswer },
      handle: () => ({ body: secrets.status() }),
    }),
    route({
      method: 'POST',
      path: '/api/secrets/rotate',
      summary: 'Seal every secret with a new key.',
      access: 'token',
      answers: { status: 200, schema: RotateAnswer },
      handle: async () => ({
        body: await secrets.rotate((reseal) => {
          settings.resealAll(reseal);
          execution.resealAll(reseal);
          calls.log.resealKeys(reseal);
        }),
      }),
    }),
  ];
}

function revisionIn(ifMatch: string): number | undefined {
  const match = /^"(\d{1,15})"$/.exec(ifMatch.trim());
  return match === null ? undefined : Number(match[1]);
}
