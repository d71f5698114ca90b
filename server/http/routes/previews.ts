import { InstallRequest } from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { AcceptRequest, PreviewAnswer } from '../../../shared/install-api.ts';
import { diffCapabilities } from '../../../shared/manifest/capability-diff.ts';
import { capabilitiesOf } from '../../../shared/manifest/capabilities.ts';
import { previewPackage } from '../../connectors/preview.ts';
import { MAX_ZIP_BYTES, readZip } from '../../connectors/read-zip.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** What a person is shown before they say yes: nothing here changes anything. */
export function previewRoutes({ acceptedReach, catalog, installer, registry, version }: Services): Route[] {
  const find = (id: string) => catalog.find(id);
  return [
    route({
      method: 'POST',
      path: '/api/connectors/preview',
      summary: 'What installing a manifest or a zip would bring, without installing it.',
      access: 'token',
      body: { json: InstallRequest, zip: true, limit: MAX_ZIP_BYTES },
      answers: { status: 200, schema: PreviewAnswer },
      handle: async ({ body, zip }) => {
        const files = zip === null ? installer.filesWith(Buffer.from(body.yaml)) : (await readZip(zip)).files;
        return { body: previewPackage(files, find, version) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/connectors/marketplace/:id/preview',
      summary: 'The same for a connector of the registry.',
      access: 'token',
      answers: { status: 200, schema: PreviewAnswer },
      handle: async ({ params }) => ({
        body: previewPackage(await registry.fetchPackage(params['id'] ?? ''), find, version),
      }),
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id/review',
      summary: 'What the files of an installed connector reach beyond what was accepted.',
      access: 'token',
      answers: { status: 200, schema: PreviewAnswer },
      handle: ({ params }) => {
        const installed = catalog.get(params['id'] ?? '');
        const pack = catalog.getPackage(installed.id);
        const reach = capabilitiesOf(pack);
        const { name, author, description, version: to_version } = pack;
        return {
          body: {
            ...(acceptedReach.news(installed) ?? diffCapabilities(reach, reach)),
            ...{ id: installed.id, name, author, description, to_version, sha256: installed.sha256 },
            from_version: installed.installation?.version ?? null,
            warnings: installed.diagnostics,
          } satisfies PreviewAnswer,
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/:id/accept',
      summary: 'Accept what the files of an installed connector reach.',
      access: 'token',
      body: { json: AcceptRequest },
      answers: { status: 204 },
      handle: ({ params, body }) => {
        const installed = catalog.get(params['id'] ?? '');
        if (installed.sha256 !== body.sha256) {
          throw new ForgeError('conflict', `the files of ${installed.id} have changed since you looked at them`, {
            hint: 'Look at them again.',
          });
        }
        acceptedReach.accept(installed);
        return {};
      },
    }),
  ];
}
