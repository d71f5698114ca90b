import type { ShellTool } from '../../shared/manifest/connector.ts';
import { ForgeError } from '../../shared/errors.ts';
import { inspectShell, type ShellInspection } from '../../shared/manifest/commands/inspect-shell-tool.ts';
import { partOf, wordOf, type Word } from '../../shared/manifest/commands/word.ts';
import { fillElements } from '../../shared/template/expand-argv.ts';
import { fillPieces, joinPieces, type Piece } from '../../shared/template/expand-text.ts';
import { asTemplate, isSetting, unsafe } from '../../shared/template/scope.ts';
import { requireWellFormed } from '../../shared/template/url-encode.ts';
import type { Command } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';
import { codeRisks, secretRisks } from './command-risks.ts';

const dashes = new WeakMap<ShellTool, ReadonlySet<string>>();

/**
 * Stage 6 for shell tools: one element of the command stays one argument, whatever its value, and none stands inside code. The linter says
 * the latter, too; here it counts for manifests that were never linted, and for what settings have filled in.
 */
export function expandShellTool(
  tool: ShellTool,
  scope: CallScope,
  options: FillOptions,
): { job: Command; risks: string[] } {
  const elements = fillElements(tool.command.map(String), scope, { ...options, allowDash: allowDash(tool) });
  const env = Object.entries(tool.env ?? {}).map(
    ([name, value]) => [name, piecesOf(String(value), scope, options)] as const,
  );
  const cwd = tool.cwd === undefined ? null : piecesOf(tool.cwd, scope, options);
  const word = (pieces: readonly Piece[], index: number): Word => wordOfPieces(pieces, index, tool.parameters);
  const inspection = inspectShell({
    command: elements.map(({ pieces, index }) => word(pieces, index)),
    env: env.map(([name, pieces]) => [name, word(pieces, 0)] as const),
    cwd: cwd === null ? null : word(cwd, 0),
  });
  requireNoCode(inspection, tool.name);
  const filled = env.map(([name, pieces]) => [name, joinPieces(pieces)] as const);
  const folder = cwd === null ? '' : folderOf(cwd);
  const job: Command = {
    protocol: 'shell',
    argv: elements.map(({ text }) => text),
    env: Object.fromEntries(filled.filter(([, value]) => value !== '')),
    cwd: folder === '' ? null : folder,
    timeoutMs: tool.timeout_ms,
  };
  const templates = [...tool.command, ...Object.values(tool.env ?? {}), ...(tool.cwd === undefined ? [] : [tool.cwd])];
  return {
    job,
    risks: [...codeRisks(inspection), ...secretRisks(templates.map(String), tool.parameters, scope, options)],
  };
}

function wordOfPieces(pieces: readonly Piece[], index: number, parameters: ShellTool['parameters']): Word {
  const parts = pieces.map(({ token, text }) => (token === null ? { text } : partOf(token, parameters, text)));
  return wordOf(parts, index);
}

/** The tool cannot be called as its manifest is; nothing that a caller could change would help. */
function requireNoCode({ problems }: Pick<ShellInspection, 'problems'>, name: string): void {
  const [problem] = problems;
  if (problem === undefined) return;
  throw new ForgeError('argument_in_code', `The tool ${name} is not run: ${problem.message}.`, {
    hint: `Its manifest has to change. ${problem.hint}`,
  });
}

function piecesOf(template: string, scope: CallScope, options: FillOptions): Piece[] {
  const pieces = fillPieces(asTemplate(template, scope, options), scope, options);
  for (const { token, text } of pieces) if (token !== null) requireWellFormed(text, token);
  return pieces;
}

/** An argument may name a folder below one that the manifest or a setting fixes, and may not climb out of that one. */
function folderOf(pieces: readonly Piece[]): string {
  const text = joinPieces(pieces);
  const first = pieces.findIndex(({ token }) => token !== null && !isSetting(token));
  const token = pieces[first]?.token ?? null;
  const fixed = first === -1 ? '' : joinPieces(pieces.slice(0, first));
  if (token === null || fixed === '') return text;
  const chosen = text.slice(Math.max(fixed.lastIndexOf('/'), fixed.lastIndexOf('\\')) + 1);
  if (!chosen.split(/[/\\]/).includes('..')) return text;
  throw unsafe(token, 'contains "..", which would lead out of the folder the command may start in');
}

function allowDash(tool: ShellTool): ReadonlySet<string> {
  let found = dashes.get(tool);
  if (found === undefined) {
    found = new Set(Object.keys(tool.parameters).filter((name) => tool.parameters[name]?.allow_dash === true));
    dashes.set(tool, found);
  }
  return found;
}
