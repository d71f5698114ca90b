export type Tab = 'settings' | 'tools' | 'readme' | 'edit';

/** The parts of a connector's page, each with an address of its own. */
export const TABS: readonly { tab: Tab; label: string; path: string }[] = [
  { tab: 'settings', label: 'Settings', path: '' },
  { tab: 'tools', label: 'Tools', path: '/tools' },
  { tab: 'readme', label: 'README', path: '/readme' },
  { tab: 'edit', label: 'Edit', path: '/edit' },
];

/** Which part an address means. One that names a tool means the tools. */
export function tabOf(word: string | undefined, query: URLSearchParams): Tab {
  if (word === undefined && query.has('tool')) return 'tools';
  return TABS.find(({ path }) => path === `/${word ?? ''}`)?.tab ?? 'settings';
}
