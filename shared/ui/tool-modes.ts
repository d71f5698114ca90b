import type { ToolPreview } from '../install-api.ts';
import { TOOL_MODES, type ToolMode } from '../manifest/tool-mode.ts';

export const MODE_WORDS: Readonly<Record<ToolMode, string>> = { on: 'On', ask: 'Ask', never: 'Never' };

/** Modes that were chosen, by tool id. */
export type ChosenModes = Readonly<Record<string, ToolMode>>;

export interface ToolGroup {
  title: string;
  tools: { tool: ToolPreview; note: string }[];
}

/** The tools of a connector as a person reads them before it is theirs: all that matter of a new one, only the news of an update. */
export function toolGroups(tools: readonly ToolPreview[], isUpdate: boolean): ToolGroup[] {
  const groups: [title: string, belongs: (tool: ToolPreview) => boolean][] = [
    ['Changes things', ({ only_reads }) => !only_reads],
    ['Only reads, says its author', ({ by_claim }) => by_claim],
  ];
  return groups.flatMap(([title, belongs]) => {
    const found = tools.filter(belongs).map((tool) => ({ tool, note: isUpdate ? newsOf(tool) : '' }));
    const shown = isUpdate ? found.filter(({ note }) => note !== '') : found;
    return shown.length === 0 ? [] : [{ title, tools: shown }];
  });
}

/** What an installation is sent with: the tools of each mode that differs from what applies without it. */
export function modesQuery(chosen: ChosenModes): string {
  return TOOL_MODES.map((mode) => {
    const ids = Object.keys(chosen).filter((id) => chosen[id] === mode);
    return ids.length === 0 ? '' : `&${mode}=${ids.map(encodeURIComponent).join(',')}`;
  }).join('');
}

function newsOf({ only_reads, before }: ToolPreview): string {
  if (before === null) return 'New';
  if (before.only_reads === only_reads) return '';
  return only_reads ? 'Changed things before' : 'Only read before';
}
