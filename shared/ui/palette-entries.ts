import type { ConnectorSummary, ToolSummary } from '../api.ts';

/** Something the palette can lead to. */
export interface PaletteEntry {
  id: string;
  kind: 'Page' | 'Connector' | 'Tool';
  label: string;
  note: string;
  path: string;
}

const MAX_SHOWN = 50;

export function paletteEntries(
  pages: readonly { path: string; title: string }[],
  connectors: readonly ConnectorSummary[],
  tools: readonly ToolSummary[],
): readonly PaletteEntry[] {
  const pathOf = (connector: string): string => `/settings/connectors/${encodeURIComponent(connector)}`;
  return [
    ...pages.map(({ path, title }): PaletteEntry => ({ id: path, kind: 'Page', label: title, note: '', path })),
    ...connectors.map(({ id, name }): PaletteEntry => ({
      id: `connector ${id}`,
      kind: 'Connector',
      label: name,
      note: id,
      path: pathOf(id),
    })),
    ...tools.map(({ id, package: page, description }): PaletteEntry => ({
      id: `tool ${id}`,
      kind: 'Tool',
      label: id,
      note: description,
      path: `${pathOf(page)}?tool=${encodeURIComponent(id)}`,
    })),
  ];
}

/** Every word must occur; what begins with the first one comes first. */
export function searchEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const hits = entries.filter(({ label, note }) => {
    const all = `${label} ${note}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const rank = ({ label }: PaletteEntry): number => {
    const at = label.toLowerCase().indexOf(first);
    return at === -1 ? 2 : Math.min(at, 1);
  };
  return (first === '' ? hits : hits.sort((a, b) => rank(a) - rank(b))).slice(0, MAX_SHOWN);
}
