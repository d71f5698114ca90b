import { localStorage } from '../platform/storage.ts';

export type PanelTab = 'chat' | 'picker';

export const PANEL_TABS: readonly { tab: PanelTab; label: string }[] = [
  { tab: 'chat', label: 'Chat' },
  { tab: 'picker', label: 'Picker' },
];

const KEY = 'panel_tab';

/** The part of the side panel that the person used last. */
export async function readPanelTab(): Promise<PanelTab> {
  const saved = (await localStorage.get())[KEY];
  return PANEL_TABS.find(({ tab }) => tab === saved)?.tab ?? 'chat';
}

export function rememberPanelTab(tab: PanelTab): void {
  void localStorage.set({ [KEY]: tab });
}
