import { DiffAnswer, InstallAnswer, InstallRequest, MarketplaceAnswer, MarketplaceQuery } from '../../../shared/api.ts';
import { InstallQuery } from '../../../shared/install-api.ts';
import { BUNDLED_REGISTRY } from '../../config.ts';
import { marketplace } from '../../connectors/overview.ts';
import { MANIFEST, readPackageFolder } from '../../connectors/package-files.ts';
import { lintPackage, requirePackage } from '../../connectors/read-package.ts';
import { updateDiff } from '../../connectors/update-diff.ts';
import { DEMO_CONNECTOR } from '../../demo/demo.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { installed } from './manifests.ts';

/** What the registry offers, and what an update would change. */
export function marketplaceRoutes(services: Services): Route[] {
  const { catalog, demo, installer, registry, version } = services;
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
      query: InstallQuery,
      answers: { status: 201, schema: InstallAnswer },
      handle: async ({ params, query }) => {
        const files = await registry.fetchPackage(params['id'] ?? '');
        const source = { kind: 'registry', location: registry.location } as const;
        const reply = await installed(services, installer.install(files, source, query.expect));
        if (params['id'] === DEMO_CONNECTOR && registry.location === BUNDLED_REGISTRY) await demo.open();
        return reply;
      },
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id/diff',
      summary: 'What the registry’s version would change in hosts, commands, scripts, secrets and parameters.',
      access: 'token',
      answers: { status: 200, schema: DiffAnswer },
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        const { pack } = requirePackage(lintPackage(await registry.fetchPackage(id), version));
        return { body: updateDiff(catalog.find(id)?.package ?? null, pack) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/:id/diff',
      summary: 'The same for a manifest that is handed over.',
      access: 'token',
      body: { json: InstallRequest },
      answers: { status: 200, schema: DiffAnswer },
      handle: ({ params, body }) => {
        const current = catalog.find(params['id'] ?? '');
        // As when it is installed: the script files of the installed connector stay beside the new manifest.
        const beside = current === null ? [] : readPackageFolder(current.folder);
        const { pack } = requirePackage(lintPackage(new Map([...beside, [MANIFEST, Buffer.from(body.yaml)]]), version));
        return { body: updateDiff(current?.package ?? null, pack) };
      },
    }),
  ];
}
