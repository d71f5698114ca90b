import { lastingClasses, lastingId } from './lasting-selector.ts';

interface Group {
  readonly kind: string;
  readonly parts: ReadonlySet<string>;
  readonly elements: Element[];
}

/** How deep, and how much of it, an element's content is compared. */
const DEPTH = 3;
const MAX_PARTS = 60;
const ALIKE = 0.6;

/**
 * Siblings that are the same kind of thing, such as the rows of a list: the same tag and role, no id of their own, and mostly the same
 * classes and content. Columns of a layout share a tag, and perhaps a class, but not what is in them.
 */
export function groupAlike(siblings: readonly Element[]): (readonly Element[])[] {
  const groups: Group[] = [];
  for (const element of siblings) {
    const kind = `${element.localName} ${element.getAttribute('role') ?? ''} ${lastingId(element)}`;
    const parts = partsOf(element);
    const known = groups.find((group) => group.kind === kind && isAlike(group.parts, parts));
    if (known === undefined) groups.push({ kind, parts, elements: [element] });
    else known.elements.push(element);
  }
  return groups.map(({ elements }) => elements);
}

/** What an element is made of: its classes, and each kind of descendant once, however often it is there. */
function partsOf(element: Element): Set<string> {
  const parts = new Set<string>(lastingClasses(element).map((name) => `.${name}`));
  let level = [...element.children];
  for (let depth = 0; depth < DEPTH && parts.size < MAX_PARTS; depth += 1) {
    for (const child of level)
      if (parts.size < MAX_PARTS) parts.add([child.localName, lastingId(child), ...lastingClasses(child)].join());
    level = level.slice(0, MAX_PARTS).flatMap((child) => [...child.children]);
  }
  return parts;
}

function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const all = new Set([...one, ...other]).size;
  const shared = [...one].filter((part) => other.has(part)).length;
  return all === 0 || shared / all >= ALIKE;
}
