import { isForgeError } from '../errors.ts';
import { checkShape } from './check-shape.ts';
import { toPackage, type ConnectorPackage } from './connector.ts';
import { checkText } from './decode-text.ts';
import type { Diagnostic, Finding } from './diagnostic.ts';
import { ruleContext, type Rule, type RuleContext } from './rule.ts';
import { asyncBlocks } from './rules/async.ts';
import { auth } from './rules/auth.ts';
import { bundle } from './rules/bundle.ts';
import { checklist } from './rules/checklist.ts';
import { commands } from './rules/commands.ts';
import { files } from './rules/files.ts';
import { identity } from './rules/identity.ts';
import { login } from './rules/login.ts';
import { ownOrigins } from './rules/own-origins.ts';
import { parameters } from './rules/parameters.ts';
import { reading } from './rules/reading.ts';
import { requests } from './rules/requests.ts';
import { scripts } from './rules/scripts.ts';
import { session } from './rules/session.ts';
import { settings } from './rules/settings.ts';
import { ssh } from './rules/ssh.ts';
import { templates } from './rules/templates.ts';
import { readYaml } from './yaml.ts';

const RULES: readonly Rule[] = [
  identity,
  bundle,
  settings,
  parameters,
  files,
  reading,
  requests,
  commands,
  ownOrigins,
  login,
  ssh,
  auth,
  session,
  templates,
  scripts,
  asyncBlocks,
  checklist,
];
/** Past this many, more findings help nobody. */
const MAX_DIAGNOSTICS = 200;

export interface LintReport {
  diagnostics: Diagnostic[];
  /** The connector as it would run; null when there is an error. */
  package: ConnectorPackage | null;
}

export interface LintOptions {
  /** Files under tools/ that come with the manifest, by their path. */
  scripts?: ReadonlyMap<string, string>;
  forgeVersion: string;
}

/** Reads and checks a manifest. Never throws: whatever is wrong with the text is a diagnostic. */
export function lintManifest(text: string, options: LintOptions): LintReport {
  let clean: string;
  try {
    clean = checkText(text, 'the manifest');
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return broken([
      {
        severity: 'error',
        rule: 'encoding',
        message: error.message,
        hint: error.hint,
        path: '',
        line: 1,
        column: 1,
        endColumn: 2,
      },
    ]);
  }
  const yaml = readYaml(clean);
  if (!yaml.ok) return broken([yaml.diagnostic]);

  const shape = checkShape(yaml.document.value);
  const findings = [...shape.findings];
  const scriptFiles = options.scripts ?? new Map<string, string>();
  if (shape.manifest !== null) {
    const context = ruleContext(shape.manifest, scriptFiles, options.forgeVersion);
    findings.push(...ruleFindings(context));
  }
  const placed = findings.map((finding) => yaml.document.place(finding)).sort(inReadingOrder);
  const diagnostics = saidOnce(withoutUnknownFaults(placed));
  const failed = diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  if (failed || shape.manifest === null) return broken(diagnostics);
  return { diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS), package: toPackage(shape.manifest, scriptFiles) };
}

/** Remarks end at the limit and errors do not, because a document with one error must not pass for having many remarks. */
function ruleFindings(context: RuleContext): Finding[] {
  const errors: Finding[] = [];
  const remarks: Finding[] = [];
  for (const rule of RULES) {
    for (const finding of rule(context)) {
      const kind = finding.severity === 'error' ? errors : remarks;
      if (kind.length < MAX_DIAGNOSTICS) kind.push(finding);
      if (errors.length >= MAX_DIAGNOSTICS) return errors;
    }
  }
  return [...errors, ...remarks];
}

/** A key that an error is about needs no remark that Forge does not know it. */
function withoutUnknownFaults(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const faults = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ path }) => path));
  return diagnostics.filter(({ rule, path }) => rule !== 'unknown-key' || !faults.has(path));
}

/** Errors come first when the list is cut, so that the reason for a refusal is never lost. */
function broken(diagnostics: Diagnostic[]): LintReport {
  if (diagnostics.length <= MAX_DIAGNOSTICS) return { diagnostics, package: null };
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  return { diagnostics: errors.slice(0, MAX_DIAGNOSTICS), package: null };
}

/** The same warning about many places stands at the first of them and says how many there are; errors are fixed one by one. */
function saidOnce(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const repeats = new Map<string, number>();
  // One word that Forge does not know is the same mistake in every tool.
  const keyOf = ({ rule, message }: Diagnostic): string =>
    `${rule}\0${rule === 'unknown-key' ? message.replace(/ in `[^`]*`/, '') : message}`;
  const first = diagnostics.filter((diagnostic) => {
    const seen = repeats.get(keyOf(diagnostic)) ?? 0;
    if (diagnostic.severity !== 'error') repeats.set(keyOf(diagnostic), seen + 1);
    return diagnostic.severity === 'error' || seen === 0;
  });
  return first.map((diagnostic) => {
    const count = diagnostic.severity === 'error' ? 1 : (repeats.get(keyOf(diagnostic)) ?? 1);
    return count === 1 ? diagnostic : { ...diagnostic, message: `${diagnostic.message} (${count} places)` };
  });
}

function inReadingOrder(a: Diagnostic, b: Diagnostic): number {
  return a.line - b.line || a.column - b.column;
}
