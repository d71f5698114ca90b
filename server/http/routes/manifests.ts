import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Static } from '@sinclair/typebox';
import { InstallAnswer, InstallRequest, LintAnswer, LintRequest, ManifestAnswer } from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { InstallQuery } from '../../../shared/install-api.ts';
import { TOOL_MODES } from '../../../shared/manifest/tool-mode.ts';
import type { InstallOutcome } from '../../connectors/installer.ts';
import { MANIFEST } from '../../connectors/package-files.ts';
import { MAX_ZIP_BYTES, readZip } from '../../connectors/read-zip.ts';
import type { Modes } from '../../connectors/tool-modes.ts';
import { describeInstall } from '../confirm/describe-install.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Manifests on their way in, and as they are. */
export function manifestRoutes(services: Services): Route[] {
  const { catalog, installer, lints } = services;
  return [
    route({
      method: 'POST',
      path: '/api/connectors/install-local',
      summary: 'Install or replace a connector from a manifest or a zip.',
      access: 'token',
      describe: async ({ query, body, zip }) =>
        zip === null
          ? describeInstall(services, installer.filesWith(Buffer.from(body.yaml)), 'a manifest', modesIn(query))
          : describeInstall(services, (await readZip(zip)).files, 'a zip', modesIn(query)),
      query: InstallQuery,
      body: { json: InstallRequest, zip: true, limit: MAX_ZIP_BYTES },
      answers: { status: 201, schema: InstallAnswer },
      handle: async ({ query, body, zip }) => {
        const options = { expected: query.expect, modes: modesIn(query) };
        if (zip === null)
          return installed(
            services,
            installer.install(
              await lints.prepared(installer.filesWith(Buffer.from(body.yaml))),
              { kind: 'yaml' },
              options,
            ),
          );
        const { files, ignored } = await readZip(zip);
        const outcome = installer.install(await lints.prepared(files), { kind: 'zip' }, options);
        return installed(services, { ...outcome, warnings: [...outcome.warnings, ...ignored.map(leftOut)] });
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/lint',
      summary: 'Check a manifest without installing it.',
      access: 'token',
      fromPage: 'reads',
      body: { json: LintRequest },
      answers: { status: 200, schema: LintAnswer },
      handle: async ({ body }) => {
        const texts = { ...body.scripts, [MANIFEST]: body.yaml };
        const files = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
        const report = lints.lint(await lints.prepared(files));
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
      describe: ({ params, body }) => {
        catalog.get(params['id'] ?? '');
        return describeInstall(services, installer.filesWith(Buffer.from(body.yaml)), 'the editor');
      },
      body: { json: InstallRequest },
      answers: { status: 200, schema: InstallAnswer },
      handle: async ({ params, body }) => {
        const { id } = catalog.get(params['id'] ?? '');
        const files = await lints.prepared(installer.filesWith(Buffer.from(body.yaml), id));
        const outcome = installer.install(files, { kind: 'edited' });
        return { ...(await installed(services, outcome)), status: 200 };
      },
    }),
  ];
}

/** The answer to an install, once the settings fit the new manifest. */
export async function installed({ catalog, settings }: Services, outcome: InstallOutcome): Promise<Reply> {
  await settings.adopt(catalog.getPackage(outcome.id));
  return { status: 201, body: { ok: true, ...outcome } };
}

/** The modes that come with an installation, as lists of tool ids. */
export function modesIn(query: Static<typeof InstallQuery>): Modes {
  const entries = TOOL_MODES.flatMap((mode) => idsIn(query[mode]).map((id) => [id, mode] as const));
  const modes = Object.fromEntries(entries);
  if (Object.keys(modes).length !== entries.length)
    throw new ForgeError('invalid_request', 'a tool is named twice in on, ask and never');
  return modes;
}

function idsIn(list: string | undefined): string[] {
  return (list ?? '').split(',').filter((id) => id !== '');
}

function leftOut(name: string): InstallOutcome['warnings'][number] {
  const message = `${name.slice(0, 100)} is not part of a connector and was left out`;
  return { severity: 'warning', rule: 'file', message, path: '', line: 1, column: 1, endColumn: 2 };
}
