import { isRecord } from '../../json.ts';

const SHOWN_CHARS = 200;

/** How a call ended, as a mark and a word. */
export function callState({ outcome, code }: { outcome: string; code: string | null }): {
  state: 'ready' | 'needs' | 'broken';
  label: string;
} {
  if (outcome === 'ok') return { state: 'ready', label: 'Done' };
  if (outcome === 'started') return { state: 'needs', label: 'Running' };
  if (outcome === 'interrupted') return { state: 'broken', label: 'Interrupted' };
  // The call was not refused: a person was asked, and the next one may go through.
  if (code === 'approval_required') return { state: 'needs', label: 'Asked first' };
  return { state: 'broken', label: code ?? 'Failed' };
}

/** False for a call that runs, and for one that nobody knows the end of. */
export function hasEnded({ outcome }: { outcome: string }): boolean {
  return outcome !== 'started' && outcome !== 'interrupted';
}

/** Arguments on one line: `limit: 2, name: Cleo`. */
export function argsLine(args: unknown): string {
  if (!isRecord(args)) return args === null || args === undefined ? '' : cut(JSON.stringify(args));
  return cut(
    Object.entries(args)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  );
}

function cut(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
