import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import { renderDiagnostic, SEVERITY_COLOURS } from '../../shared/manifest/render-diagnostic.ts';
import { safeLine, safeText, type Terminal } from './terminal.ts';

/** A linter's finding for the terminal, with the line it is about where there is a text. */
export function renderFinding({ paint }: Terminal, diagnostic: Diagnostic, file: string, text: string): string {
  const safe: Diagnostic = { ...diagnostic, message: safeLine(diagnostic.message) };
  if (diagnostic.hint !== undefined) safe.hint = safeLine(diagnostic.hint);
  // A finding about a file as a whole has no line to show.
  if (text !== '' && diagnostic.rule !== 'file')
    return renderDiagnostic(safe, safeLine(file), safeText(text.replaceAll('\r\n', '\n')), paint);
  const head = `${paint('bold', safeLine(file))} ${paint(SEVERITY_COLOURS[diagnostic.severity], diagnostic.severity)} ${safe.message} ${paint('dim', `[${diagnostic.rule}]`)}`;
  return safe.hint === undefined ? head : `${head}\n  ${paint('cyan', '=')} ${safe.hint}`;
}
