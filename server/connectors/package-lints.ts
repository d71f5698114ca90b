import type { LintReport } from '../../shared/manifest/lint.ts';
import { ForgeError } from '../../shared/errors.ts';
import { createSideThread, ThreadTimeout } from '../base/side-thread.ts';
import { contentHash, type PackageFiles } from './package-files.ts';
import { lintPackage } from './read-package.ts';

/** What the thread is asked; it answers with the report. */
export interface LintRequest {
  files: PackageFiles;
  forgeVersion: string;
}

/** Reports on packages. A large one takes longer than anybody else should have to wait. */
export interface PackageLints {
  /** The report on these files, at once. */
  lint(files: PackageFiles): LintReport;
  /** The same files, once `lint` has their report without delay. */
  prepared<Files extends PackageFiles>(files: Files): Promise<Files>;
  close(): void;
}

interface PackageLintsOptions {
  forgeVersion: string;
  /** The thread's code, bundled; where there is none, `lint` does all of the work. */
  script?: URL;
}

/** Many times what the largest manifest takes. */
const LIMIT_MS = 10_000;
/** About 10 ms of work. */
const LARGE_BYTES = 16 * 1024;
/** A package is looked at a few times on its way in. */
const MAX_KEPT = 4;

export function createPackageLints({ forgeVersion, script }: PackageLintsOptions): PackageLints {
  const thread =
    script === undefined ? null : createSideThread<LintRequest>({ name: 'lint', script, limitMs: LIMIT_MS });
  const kept = new Map<string, LintReport>();
  return {
    lint: (files) => (kept.size === 0 ? undefined : kept.get(contentHash(files))) ?? lintPackage(files, forgeVersion),
    prepared: async (files) => {
      if (thread === null || sizeOf(files) <= LARGE_BYTES) return files;
      const sha256 = contentHash(files);
      if (kept.has(sha256)) return files;
      const report = (await thread.ask({ files, forgeVersion }).catch(tooComplex)) as LintReport; // as lint-thread.ts answers
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
      kept.set(sha256, report);
      return files;
    },
    close: () => thread?.close(),
  };
}

function tooComplex(error: unknown): never {
  if (!(error instanceof ThreadTimeout)) throw error;
  throw new ForgeError('invalid_manifest', 'the manifest takes too long to read', {
    hint: 'Shorten its scripts and commands, or split it into several connectors.',
    cause: error,
  });
}

function sizeOf(files: PackageFiles): number {
  let bytes = 0;
  for (const content of files.values()) bytes += content.length;
  return bytes;
}
