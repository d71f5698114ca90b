import type { ConnectorSummary, FieldsAnswer, ToolSummary } from '../api.ts';

/** Something the palette can lead to. */
export interface PaletteEntry {
  id: string;
  kind: 'Page' | 'Connector' | 'Tool' | 'Setting';
  label: string;
  note: string;
  path: string;
  /** What is searched, in small letters. */
  words: string;
}

const MAX_SHOWN = 50;

export function paletteEntries(
  pages: readonly { path: string; title: string }[],
  connectors: readonly ConnectorSummary[],
  tools: readonly ToolSummary[],
  settings: FieldsAnswer['fields'] = [],
): readonly PaletteEntry[] {
  const pathOf = (connector: string): string => `/settings/connectors/${encodeURIComponent(connector)}`;
  return [
    ...pages.map(({ path, title }) => entry({ id: path, kind: 'Page', label: title, note: '', path })),
    ...connectors.map(({ id, name }) =>
      entry({ id: `connector ${id}`, kind: 'Connector', label: name, note: id, path: pathOf(id) }),
    ),
    ...tools.map(({ id, package: page, description }) => {
      const path = `${pathOf(page)}?tool=${encodeURIComponent(id)}`;
      return entry({ id: `tool ${id}`, kind: 'Tool', label: id, note: description, path });
    }),
    ...settings.map(({ connector, connector_name, name, label }) => {
      const path = `${pathOf(connector)}?field=${encodeURIComponent(name)}`;
      return entry({ id: `setting ${connector} ${name}`, kind: 'Setting', label, note: connector_name, path });
    }),
  ];
}

/** Two thousand of them are searched at every key, so their words are put together once. */
function entry(shown: Omit<PaletteEntry, 'words'>): PaletteEntry {
  return { ...shown, words: `${shown.label} ${shown.note}`.toLowerCase() };
}

/** Every word must occur; what begins with the first one comes first. */
export function searchEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const hits = entries.filter((candidate) => words.every((word) => candidate.words.includes(word)));
  const rank = ({ label, words: all }: PaletteEntry): number => {
    const at = all.indexOf(first);
    return at >= label.length ? 2 : Math.min(at, 1);
  };
  return (first === '' ? hits : hits.sort((a, b) => rank(a) - rank(b))).slice(0, MAX_SHOWN);
}
