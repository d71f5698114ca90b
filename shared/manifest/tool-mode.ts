/** What a person lets callers do with a tool: call it, call it after being asked, or not at all. */
export const TOOL_MODES = ['on', 'ask', 'never'] as const;
export type ToolMode = (typeof TOOL_MODES)[number];

interface Marked {
  destructive: boolean;
}

/** The modes a person may choose. A destructive tool runs unasked only under a standing approval, which has limits. */
export function modesFor({ destructive }: Marked): readonly ToolMode[] {
  return destructive ? ['ask', 'never'] : TOOL_MODES;
}

/** What applies: a choice never makes a tool less careful than its manifest does. */
export function effectiveMode({ destructive }: Marked, chosen: ToolMode | undefined): ToolMode {
  if (chosen === 'never') return 'never';
  return destructive || chosen === 'ask' ? 'ask' : 'on';
}
