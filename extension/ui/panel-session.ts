import { sessionStorage } from '../platform/storage.ts';

const KEY = 'panel_session';

/** The conversation that the side panel has shown last, until the browser ends. */
export async function readPanelSession(): Promise<string | null> {
  const saved = (await sessionStorage.get())[KEY];
  return typeof saved === 'string' && /^sess_[0-9a-f]{12}$/.test(saved) ? saved : null;
}

export function rememberPanelSession(id: string | null): void {
  void sessionStorage.set({ [KEY]: id });
}
