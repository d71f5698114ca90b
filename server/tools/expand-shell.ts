import type { ShellTool } from '../../shared/manifest/connector.ts';
import { expandArgv } from '../../shared/template/expand-argv.ts';
import { fillPieces, joinPieces, type Piece } from '../../shared/template/expand-text.ts';
import { asTemplate, isSetting, unsafe } from '../../shared/template/scope.ts';
import { requireWellFormed } from '../../shared/template/url-encode.ts';
import type { Command } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';

const dashes = new WeakMap<ShellTool, ReadonlySet<string>>();

/** Stage 6 for shell tools: one element of the command stays one argument, whatever its value. */
export function expandShellTool(tool: ShellTool, scope: CallScope, options: FillOptions): Command {
  const env = Object.entries(tool.env ?? {}).map(
    ([name, value]) => [name, joinPieces(piecesOf(String(value), scope, options))] as const,
  );
  const cwd = tool.cwd === undefined ? '' : folderOf(piecesOf(tool.cwd, scope, options));
  return {
    protocol: 'shell',
    argv: expandArgv(tool.command.map(String), scope, { ...options, allowDash: allowDash(tool) }),
    env: Object.fromEntries(env.filter(([, value]) => value !== '')),
    cwd: cwd === '' ? null : cwd,
    timeoutMs: tool.timeout_ms,
  };
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
