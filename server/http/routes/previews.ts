import { InstallRequest } from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { AcceptRequest, PreviewAnswer } from '../../../shared/install-api.ts';
import type { Installed } from '../../connectors/catalog.ts';
import { previewPackage } from '../../connectors/preview.ts';
import { MAX_ZIP_BYTES, readZip } from '../../connectors/read-zip.ts';
import { claimsOf } from '../../connectors/tool-claims.ts';
import { previewTools, requireModes } from '../../connectors/preview-tools.ts';
import { updateDiff } from '../../connectors/update-diff.ts';
import { describeModes, describeReach } from '../confirm/describe-install.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** What a person is shown before they say yes: nothing here changes anything. */
export function previewRoutes({ accepted, catalog, toolModes, installer, lints, registry }: Services): Route[] {
  const deps = { accepted, toolModes, find: (id: string) => catalog.find(id), lints };
  return [
    route({
      method: 'POST',
      path: '/api/connectors/preview',
      summary: 'What installing a manifest or a zip would bring, without installing it.',
      access: 'token',
      fromPage: 'reads',
      body: { json: InstallRequest, zip: true, limit: MAX_ZIP_BYTES },
      answers: { status: 200, schema: PreviewAnswer },
      handle: async ({ body, zip }) => {
        const files = zip === null ? installer.filesWith(Buffer.from(body.yaml)) : (await readZip(zip)).files;
        return { body: await previewPackage(files, deps) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/connectors/marketplace/:id/preview',
      summary: 'The same for a connector of the registry.',
      access: 'token',
      answers: { status: 200, schema: PreviewAnswer },
      handle: async ({ params }) => ({
        body: await previewPackage(await registry.fetchPackage(params['id'] ?? ''), deps),
      }),
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id/review',
      summary: 'How the files of an installed connector differ from what was accepted.',
      access: 'token',
      answers: { status: 200, schema: PreviewAnswer },
      handle: async ({ params }) => {
        const installed = catalog.get(params['id'] ?? '');
        const pack = catalog.getPackage(installed.id);
        await accepted.prepareDiff(installed, pack);
        const { name, author, description } = pack;
        return {
          body: {
            ...updateDiff(accepted, installed, pack),
            ...{ name, author, description, sha256: installed.sha256 },
            warnings: installed.diagnostics,
            tool_list: previewTools(pack, null, toolModes),
          } satisfies PreviewAnswer,
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/:id/accept',
      summary: 'Accept the files of an installed connector as they are.',
      access: 'token',
      describe: ({ params, body }) => {
        requireSameFiles(catalog.get(params['id'] ?? ''), body.sha256);
        const pack = catalog.getPackage(params['id'] ?? '');
        const title = `Accept what the files of ${pack.name} ${pack.version} reach`;
        return { title, verb: 'Accept', lines: [...describeModes(body.modes ?? {}), ...describeReach(pack)] };
      },
      body: { json: AcceptRequest },
      answers: { status: 204 },
      handle: ({ params, body }) => {
        const installed = catalog.get(params['id'] ?? '');
        requireSameFiles(installed, body.sha256);
        const pack = catalog.getPackage(installed.id);
        const modes = body.modes ?? {};
        requireModes(pack, modes);
        accepted.accept(installed);
        toolModes.accept(pack.id, { modes, claims: claimsOf(pack) });
        return {};
      },
    }),
  ];
}

/** What somebody has read must be what they accept. */
function requireSameFiles({ id, sha256 }: Installed, read: string): void {
  if (sha256 === read) return;
  throw new ForgeError('conflict', `the files of ${id} changed since you reviewed them`, {
    hint: 'Review them again, then accept them.',
  });
}
