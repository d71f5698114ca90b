import type { Command } from 'commander';
import { isForgeError } from '../../../../shared/errors.ts';
import type { Diagnostic } from '../../../../shared/manifest/diagnostic.ts';
import { FORGE_VERSION } from '../../../version.ts';
import type { Cli } from '../../cli.ts';
import type { ConnectorSource } from '../../connector-source.ts';
import { countOf } from '../../count-of.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readStdin } from '../../read-stdin.ts';
import { renderFinding } from '../../render-finding.ts';
import { printJson } from '../../terminal.ts';

interface LintFlags {
  json?: boolean;
  quiet?: boolean;
  strict?: boolean;
}

interface LintedFile {
  file: string;
  /** Empty when the file could not be read. */
  text: string;
  diagnostics: Diagnostic[];
}

export function addLintCommand(group: Command, cli: Cli): void {
  group
    .command('lint')
    .description('check manifests, zips and folders without installing them; needs no running Forge')
    .argument('<path...>', 'manifest, zip or folder; - reads standard input; a folder of connectors checks each')
    .option('--json', 'print the findings as JSON')
    .option('--quiet', 'show errors only')
    .option('--strict', 'count warnings as errors')
    .addHelpText('after', EXAMPLES)
    .action(cli.action((places: string[], flags: LintFlags) => lint(cli, places, flags)));
}

async function lint(cli: Cli, places: readonly string[], flags: LintFlags): Promise<ExitCode> {
  const linted: LintedFile[] = [];
  for (const place of places) linted.push(...(await lintPlace(cli, place)));
  const shown = linted.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.filter((one) => flags.quiet !== true || isError(one)),
  }));
  if (flags.json === true) {
    printJson(
      cli.terminal,
      shown.map(({ file, diagnostics }, index) => ({
        file,
        ok: linted[index]?.diagnostics.some(isError) !== true,
        diagnostics,
      })),
    );
  } else print(cli, shown, flags);
  const counted = flags.strict === true ? isProblem : isError;
  return linted.some((file) => file.diagnostics.some(counted)) ? EXIT.failed : EXIT.ok;
}

function print({ terminal }: Cli, files: readonly LintedFile[], flags: LintFlags): void {
  for (const { file, text, diagnostics } of files) {
    for (const diagnostic of diagnostics) {
      terminal.out(renderFinding(terminal, diagnostic, file, text));
      terminal.out();
    }
  }
  const all = files.flatMap((file) => file.diagnostics);
  if (flags.quiet === true && all.length === 0) return;
  const errors = all.filter(isError).length;
  const problems = all.filter(isProblem).length;
  const counts = [countOf(errors, 'error'), ...(flags.quiet === true ? [] : [countOf(problems - errors, 'warning')])];
  const summary = problems === 0 ? 'no problems' : counts.join(', ');
  const suggestions = all.length === problems ? '' : `, ${countOf(all.length - problems, 'suggestion')}`;
  terminal.out(
    terminal.paint(
      errors > 0 ? 'red' : problems > 0 ? 'yellow' : 'green',
      `${summary}${suggestions} in ${countOf(files.length, 'file')}`,
    ),
  );
}

async function lintPlace(cli: Cli, place: string): Promise<LintedFile[]> {
  const { connectorsAt, readBytes, readSource } = await import('../../connector-source.ts');
  if (place === '-') {
    const bytes = await readStdin(cli.io.stdin);
    return [await lintSource('<stdin>', () => readBytes(bytes, '<stdin>'))];
  }
  return Promise.all(connectorsAt(place).map((one) => lintSource(one, () => readSource(one))));
}

async function lintSource(place: string, read: () => Promise<ConnectorSource>): Promise<LintedFile> {
  const { lintPackage } = await import('../../../connectors/read-package.ts');
  const { manifestText } = await import('../../manifest-text.ts');
  try {
    const source = await read();
    const left = source.ignored.map((name) =>
      fileFinding('warning', `${name.slice(0, 100)} is not part of a connector and would be left out`),
    );
    const { diagnostics } = lintPackage(source.files, FORGE_VERSION);
    return { file: source.label, text: manifestText(source.files), diagnostics: [...diagnostics, ...left] };
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return {
      file: place,
      text: '',
      diagnostics: [fileFinding('error', error.message.replace(`${place} `, ''), error.hint)],
    };
  }
}

function fileFinding(severity: Diagnostic['severity'], message: string, hint?: string): Diagnostic {
  return {
    severity,
    rule: 'file',
    message,
    ...(hint === undefined ? {} : { hint }),
    path: '',
    line: 1,
    column: 1,
    endColumn: 2,
  };
}

function isProblem(diagnostic: Diagnostic): boolean {
  return diagnostic.severity !== 'info';
}

function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === 'error';
}

const EXAMPLES = examples(
  'forge connector lint manifest.yaml',
  ['forge connector lint connectors/', 'every connector in the folder'],
  'forge connector lint my-connector.zip --strict',
  'cat manifest.yaml | forge connector lint - --json',
);
