import type { PreviewAnswer } from '../../shared/install-api.ts';
import type { AcceptedDefinitions } from './accepted-definitions.ts';
import type { Installed } from './catalog.ts';
import { contentHash, type PackageFiles } from './package-files.ts';
import type { PackageLints } from './package-lints.ts';
import { requirePackage } from './read-package.ts';
import type { ToolModes } from './tool-modes.ts';
import { previewTools } from './preview-tools.ts';
import { updateDiff } from './update-diff.ts';

interface PreviewDeps {
  accepted: Pick<AcceptedDefinitions, 'diff' | 'has' | 'prepareDiff'>;
  toolModes: Pick<ToolModes, 'modeIn'>;
  find: (id: string) => Installed | null;
  lints: Pick<PackageLints, 'prepared' | 'lint'>;
}

/** What a person reads before they install: who it is, and what it could reach and run, compared with what they have accepted. */
export async function previewPackage(files: PackageFiles, deps: PreviewDeps): Promise<PreviewAnswer> {
  const { accepted, toolModes, find, lints } = deps;
  const { pack, warnings } = requirePackage(lints.lint(await lints.prepared(files)));
  await accepted.prepareDiff(find(pack.id), pack);
  const { name, author, description } = pack;
  const current = find(pack.id)?.package ?? null;
  return {
    ...updateDiff(accepted, find(pack.id), pack),
    ...{ name, author, description, warnings },
    tool_list: previewTools(pack, current, toolModes),
    sha256: contentHash(files),
  };
}
