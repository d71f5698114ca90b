import type { PreviewAnswer } from '../../shared/install-api.ts';
import type { Installed } from './catalog.ts';
import { contentHash, type PackageFiles } from './package-files.ts';
import { lintPackage, requirePackage } from './read-package.ts';
import { updateDiff } from './update-diff.ts';

/** What a person reads before they install: who it is, and what it could reach and run, compared with what is installed. */
export function previewPackage(
  files: PackageFiles,
  find: (id: string) => Installed | null,
  forgeVersion: string,
): PreviewAnswer {
  const { pack, warnings } = requirePackage(lintPackage(files, forgeVersion));
  const { name, author, description } = pack;
  return {
    ...updateDiff(find(pack.id)?.package ?? null, pack),
    ...{ name, author, description, warnings },
    sha256: contentHash(files),
  };
}
