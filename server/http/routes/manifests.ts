import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InstallAnswer, InstallRequest, LintAnswer, LintRequest, ManifestAnswer } from '../../../shared/api.ts';
import { InstallQuery } from '../../../shared/install-api.ts';
import { lintManifest } from '../../../shared/manifest/lint.ts';
import type { InstallOutcome } from '../../connectors/installer.ts';
import { MANIFEST } from '../../connectors/package-files.ts';
import { MAX_ZIP_BYTES, readZip } from '../../connectors/read-zip.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Manifests on their way in, and as they are. */
export function manifestRoutes(services: Services): Route[] {
  const { catalog, installer, version } = services;
  return [
    route({
      method: 'POST',
      path: '/api/connectors/install-local',
      summary: 'Install or replace a connector from a manifest or a zip.',
      access: 'token',
      query: InstallQuery,
      body: { json: InstallRequest, zip: true, limit: MAX_ZIP_BYTES },
      answers: { status: 201, schema: InstallAnswer },
      handle: async ({ query: { expect }, body, zip }) => {
        if (zip === null)
          return installed(
            services,
            installer.install(installer.filesWith(Buffer.from(body.yaml)), { kind: 'yaml' }, expect),
          );
        const { files, ignored } = await readZip(zip);
        const outcome = installer.install(files, { kind: 'zip' }, expect);
        return installed(services, { ...outcome, warnings: [...outcome.warnings, ...ignored.map(leftOut)] });
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/lint',
      summary: 'Check a manifest without installing it.',
      access: 'token',
      body: { json: LintRequest },
      answers: { status: 200, schema: LintAnswer },
      handle: ({ body }) => {
        const scripts = new Map(Object.entries(body.scripts ?? {}));
        const report = lintManifest(body.yaml, { scripts, forgeVersion: version });
        return { body: { ok: report.package !== null, diagnostics: report.diagnostics } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id/manifest',
      summary: 'The manifest as it is on disk.',
      access: 'token',
      answers: { status: 200, schema: ManifestAnswer },
      handle: ({ params }) => {
        const { folder, sha256 } = catalog.get(params['id'] ?? '');
        const file = path.join(folder, MANIFEST);
        return { body: { yaml: readFileSync(file, 'utf8'), sha256, path: file } };
      },
    }),
    route({
      method: 'PUT',
      path: '/api/connectors/:id/manifest',
      summary: 'Replace the manifest of an installed connector.',
      access: 'token',
      body: { json: InstallRequest },
      answers: { status: 200, schema: InstallAnswer },
      handle: async ({ params, body }) => {
        const { id } = catalog.get(params['id'] ?? '');
        const outcome = installer.installManifest(Buffer.from(body.yaml), { kind: 'edited' }, id);
        return { ...(await installed(services, outcome)), status: 200 };
      },
    }),
  ];
}

/** The answer to an install, once the settings fit the new manifest. */
export async function installed(
  { acceptedReach, catalog, settings }: Services,
  outcome: InstallOutcome,
): Promise<Reply> {
  acceptedReach.accept(catalog.get(outcome.id));
  await settings.adopt(catalog.getPackage(outcome.id));
  return { status: 201, body: { ok: true, ...outcome } };
}

function leftOut(name: string): InstallOutcome['warnings'][number] {
  const message = `${name.slice(0, 100)} is not part of a connector and was left out`;
  return { severity: 'warning', rule: 'file', message, path: '', line: 1, column: 1, endColumn: 2 };
}
