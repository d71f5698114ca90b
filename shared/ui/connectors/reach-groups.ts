import type { DiffAnswer } from '../../diff-api.ts';

type Listed = 'flows' | 'risks' | 'hosts' | 'sites' | 'commands' | 'secrets' | 'destructive';

interface ReachEntry {
  /** As the manifest has it. */
  text: string;
  /** In words, where the text alone says little. */
  note: string;
  kind: 'added' | 'removed';
  /** The connector may do more than before. A tool that no longer asks is one of those. */
  isPower: boolean;
}

export interface ReachGroup {
  title: string;
  entries: ReachEntry[];
}

const GROUPS: readonly [Listed, string, (text: string) => string][] = [
  ['flows', 'Sends your secrets', () => ''],
  ['risks', 'Gives up safety', () => ''],
  ['hosts', 'Talks to', hostNote],
  ['sites', 'Works in your tabs on', hostNote],
  ['commands', 'Runs on this computer', () => ''],
  ['secrets', 'Asks you for these secrets', () => ''],
  ['destructive', 'Changes things, and asks you before each time', () => ''],
];

/** What a connector reaches, or what is different about it, as lists a person reads in ten seconds; additions first. */
export function reachGroups(diff: DiffAnswer): ReachGroup[] {
  return GROUPS.flatMap(([list, title, noteOf]) => {
    // The tools of a new connector that change things are listed with their modes.
    if (list === 'destructive' && diff.from_version === null) return [];
    const { added, removed } = diff[list];
    const entries = [
      ...added.map((text): ReachEntry => ({
        ...{ text, note: noteOf(text), kind: 'added' },
        // A tool that is new can do something that nothing could before, whether it asks or not.
        isPower: !isLimit(list) || diff.tools.added.includes(text),
      })),
      ...removed.map((text): ReachEntry => {
        // A tool that is gone asks nobody either, and there is nothing to fear from it.
        const isLost = isLimit(list) && !diff.tools.removed.includes(text);
        return { text, note: isLost ? 'no longer asks you' : '', kind: 'removed', isPower: isLost };
      }),
    ];
    return entries.length === 0 ? [] : [{ title, entries }];
  });
}

/** A template says that somebody decides later; this says who. */
function hostNote(text: string): string {
  const [, name] = /^\{(?:settings\.)?([\w.]+)\}/.exec(text) ?? [];
  if (/\{args\./.test(text)) return 'a host that a call names; you allow each one';
  return name === undefined ? '' : `the address you enter as “${name}”`;
}

/** A list in which more means that less can happen. */
function isLimit(list: Listed): boolean {
  return list === 'destructive';
}
