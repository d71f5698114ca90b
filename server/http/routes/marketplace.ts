import { InstallAnswer, InstallRequest, MarketplaceAnswer, MarketplaceQuery } from '../../../shared/api.ts';
import { DiffAnswer } from '../../../shared/diff-api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { InstallQuery } from '../../../shared/install-api.ts';
import { BUNDLED_REGISTRY } from '../../config.ts';
import { marketplace } from '../../connectors/overview.ts';
import { contentHash, MANIFEST, readPackageFolder } from '../../connectors/package-files.ts';
import { requirePackage } from '../../connectors/read-package.ts';
import { updateDiff } from '../../connectors/update-diff.ts';
import { DEMO_CONNECTOR } from '../../demo/demo.ts';
import { describeInstall } from '../confirm/describe-install.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { installed, modesIn } from './manifests.ts';

/** What the registry offers, and what an update would change. */
export function marketplaceRoutes(services: Services): Route[] {
  const { accepted, catalog, demo, installer, lints, registry } = services;
  return [
    route({
      method: 'GET',
      path: '/api/connectors/marketplace',
      summary: 'The connectors of the registry.',
      access: 'token',
      query: MarketplaceQuery,
      answers: { status: 200, schema: MarketplaceAnswer },
      handle: async ({ query }) => ({
        body: marketplace(await registry.list(query.refresh === 'true'), catalog.list()),
      }),
    }),
    route({
      method: 'POST',
      path: '/api/connectors/marketplace/:id/install',
      summary: 'Install or update a connector from the registry.',
      access: 'token',
      describe: async ({ params, query }) => {
        const files = await registry.fetchPackage(params['id'] ?? '');
        // What was looked at is what gets installed, so a page names the files it means.
        if (query.expect !== contentHash(files))
          throw new ForgeError('conflict', 'the registry’s files are not those that were looked at', {
            hint: 'Look at them again.',
          });
        return describeInstall(services, files, `the registry ${registry.location}`, modesIn(query));
      },
      query: InstallQuery,
      answers: { status: 201, schema: InstallAnswer },
      handle: async ({ params, query }) => {
        const files = await lints.prepared(await registry.fetchPackage(params['id'] ?? ''));
        const source = { kind: 'registry', location: registry.location } as const;
        const reply = await installed(
          services,
          installer.install(files, source, { expected: query.expect, modes: modesIn(query) }),
        );
        if (params['id'] === DEMO_CONNECTOR && registry.location === BUNDLED_REGISTRY) await demo.open();
        return reply;
      },
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id/diff',
      summary: 'What the registry’s version would change in what was accepted.',
      access: 'token',
      answers: { status: 200, schema: DiffAnswer },
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        const { pack } = requirePackage(lints.lint(await lints.prepared(await registry.fetchPackage(id))));
        await accepted.prepareDiff(catalog.find(id), pack);
        return { body: updateDiff(accepted, catalog.find(id), pack) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/:id/diff',
      summary: 'The same for a manifest that is handed over.',
      access: 'token',
      fromPage: 'reads',
      body: { json: InstallRequest },
      answers: { status: 200, schema: DiffAnswer },
      handle: async ({ params, body }) => {
        const current = catalog.find(params['id'] ?? '');
        // As when it is installed: the script files of the installed connector stay beside the new manifest.
        const beside = current === null ? [] : readPackageFolder(current.folder);
        const files = await lints.prepared(new Map([...beside, [MANIFEST, Buffer.from(body.yaml)]]));
        const { pack } = requirePackage(lints.lint(files));
        await accepted.prepareDiff(current, pack);
        return { body: updateDiff(accepted, current, pack) };
      },
    }),
  ];
}
