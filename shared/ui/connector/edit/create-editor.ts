import { yaml } from '@codemirror/lang-yaml';
import { syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { basicSetup, EditorView } from 'codemirror';
import type { LintAnswer } from '../../../api.ts';
import { changeBetween } from './change-between.ts';
import { quickFix, rangeOf } from './quick-fix.ts';
import { SYNTAX } from './syntax-colours.ts';

export type Finding = LintAnswer['diagnostics'][number];

export interface Editor {
  text(): string;
  replace(text: string): void;
  /** Puts the cursor at a finding and shows it. */
  show(finding: Finding): void;
  mend(finding: Finding): void;
  destroy(): void;
}

interface EditorOptions {
  /** Its shadow root takes the editor: there its styles are sheets that a script adopts, which the page's policy allows. */
  host: HTMLElement;
  text: string;
  label: string;
  onchange: (text: string) => void;
  lint: (text: string, signal: AbortSignal) => Promise<readonly Finding[]>;
}

const LINT_DELAY_MS = 300;

const THEME = EditorView.theme({
  '&': {
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    fontSize: '12.5px',
    maxHeight: '70vh',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--panel)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    borderColor: 'var(--line)',
  },
  '.cm-collapsedLines': { background: 'var(--hover)', color: 'var(--muted)', padding: '2px 8px' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: 'none' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', fontSize: '13px' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--text)', color: 'var(--panel)' },
  '.cm-button, .cm-textfield': {
    backgroundImage: 'none',
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    borderColor: 'var(--control)',
  },
});

/** The editor of a manifest: YAML, checked by the server while it is written. */
export function createEditor({ host, text, label, onchange, lint }: EditorOptions): Editor {
  let running = new AbortController();
  const source = async (view: EditorView): Promise<Diagnostic[]> => {
    running.abort();
    running = new AbortController();
    const checked = view.state.doc.toString();
    const findings = await lint(checked, running.signal);
    return findings.map((finding) => diagnosticOf(checked, finding));
  };
  const view = openView(host, text, label, [
    lintGutter(),
    linter(source, { delay: LINT_DELAY_MS }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onchange(update.state.doc.toString());
    }),
  ]);
  return {
    text: () => view.state.doc.toString(),
    // Only what differs, so that the cursor stays where it is.
    replace: (next) => view.dispatch({ changes: changeBetween(view.state.doc.toString(), next) }),
    show(finding) {
      const { from, to } = rangeOf(view.state.doc.toString(), finding);
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
    mend: (finding) => mend(view, finding),
    destroy() {
      running.abort();
      view.destroy();
    },
  };
}

/** The same text beside what is installed, line by line; to be read only. */
export function createDiff(host: HTMLElement, before: string, now: string, label: string): { destroy(): void } {
  return openView(host, now, label, [
    unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
    EditorView.editable.of(false),
  ]);
}

function openView(host: HTMLElement, doc: string, label: string, extensions: unknown[]): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  return new EditorView({
    doc,
    root,
    parent: root,
    extensions: [
      basicSetup,
      yaml(),
      syntaxHighlighting(SYNTAX),
      THEME,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      // Extensions are nested lists of things only CodeMirror knows.
      extensions as ReturnType<typeof lintGutter>[],
    ],
  });
}

function diagnosticOf(text: string, finding: Finding): Diagnostic {
  const fix = quickFix(text, finding);
  return {
    ...rangeOf(text, finding),
    severity: finding.severity,
    message: finding.hint === undefined ? finding.message : `${finding.message}. ${finding.hint}`,
    ...(fix === null ? {} : { actions: [{ name: fix.label, apply: (view) => mend(view, finding) }] }),
  };
}

/** Looks again where the fix belongs: the text may have moved on since it was checked. */
function mend(view: EditorView, finding: Finding): void {
  const fix = quickFix(view.state.doc.toString(), finding);
  if (fix === null) return;
  const { from, to, insert } = fix;
  view.dispatch({ changes: { from, to, insert } });
}
