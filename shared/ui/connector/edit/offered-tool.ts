/** A tool that was begun elsewhere, for the editor of a connector to offer. Nothing is saved by offering it. */
export interface OfferedTool {
  /** The connector it is meant for. */
  readonly connector: string;
  readonly name: string;
  /** What stands below its name in the manifest, not indented. */
  readonly body: string;
  /** The site it is for; taken along by a manifest that names none. */
  readonly hostMatch: string;
}

// The storage of this tab alone: no other site and no link can put anything there.
const KEY = 'forge.offered-tool';

export function offerTool(tool: OfferedTool): void {
  sessionStorage.setItem(KEY, JSON.stringify(tool));
}

export function offeredTool(connector: string): OfferedTool | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  const tool = JSON.parse(text) as OfferedTool; // written by offerTool only
  return tool.connector === connector ? tool : null;
}

export function withdrawTool(): void {
  sessionStorage.removeItem(KEY);
}
