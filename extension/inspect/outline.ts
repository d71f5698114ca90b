/** One line of an outline. */
export interface OutlineNode {
  depth: number;
  tag: string;
  /** Finds this element and no other, and is likely to find it tomorrow. */
  selector: string;
  text?: string;
  role?: string;
  /** How many more siblings are built the same; only the first two of them are listed. */
  more?: number;
  /** Its content is in an open shadow root. */
  shadow?: true;
}

export interface Outline {
  title: string;
  nodes: OutlineNode[];
  /** The page has more elements than were asked for. */
  truncated: boolean;
  /** Elements that are not listed: built like a sibling, hidden, or beyond the limit. */
  left_out: { alike: number; hidden: number; beyond_limit: number };
}

/** Where the script of ours in a page leaves its function. */
export interface OutlineHolder {
  forgePageOutline?: (maxNodes: number) => Outline;
}

/** Runs in the page, in our own world there, so it uses nothing from outside but what the script has left. */
export function pageOutline(maxNodes: number): Outline | null {
  const holder = globalThis as OutlineHolder;
  // Where no script was put, an element of the page with that id would be found.
  return Object.hasOwn(holder, 'forgePageOutline') ? (holder.forgePageOutline?.(maxNodes) ?? null) : null;
}
