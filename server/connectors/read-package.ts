import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import { decodeText } from '../../shared/manifest/decode-text.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import { lintManifest, type LintReport } from '../../shared/manifest/lint.ts';
import { MANIFEST, type PackageFiles } from './package-files.ts';

/** A package that passed the linter, with what it warned about. */
export interface ReadPackage {
  pack: ConnectorPackage;
  warnings: Diagnostic[];
}

/** Lints a manifest together with the scripts beside it. Never throws for what is wrong with them. */
export function lintPackage(files: PackageFiles, forgeVersion: string): LintReport {
  try {
    const manifest = files.get(MANIFEST);
    if (manifest === undefined) throw new ForgeError('invalid_package', 'there is no manifest.yaml');
    const scripts = new Map<string, string>();
    for (const [name, bytes] of files) if (name.startsWith('tools/')) scripts.set(name, decodeText(bytes, name));
    return lintManifest(decodeText(manifest, MANIFEST), { scripts, forgeVersion });
  } catch (error) {
    if (!isForgeError(error)) throw error;
    const diagnostic: Diagnostic = {
      severity: 'error',
      rule: 'file',
      message: error.message,
      hint: error.hint,
      path: '',
      line: 1,
      column: 1,
      endColumn: 2,
    };
    return { diagnostics: [diagnostic], package: null };
  }
}

/** What is worth telling whoever installs it; suggestions are for whoever writes it. */
function warningsOf({ diagnostics }: LintReport): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'warning');
}

/** The package, or the error a caller gets with every place that has to be fixed. */
export function requirePackage(report: LintReport): ReadPackage {
  if (report.package !== null) return { pack: report.package, warnings: warningsOf(report) };
  const errors = report.diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const place = first === undefined ? '' : `line ${first.line}, column ${first.column}: ${first.message}`;
  throw new ForgeError('invalid_manifest', `the manifest is not valid: ${place}${more}`, {
    details: report.diagnostics,
  });
}
