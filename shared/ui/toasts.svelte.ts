import { isAbort, toApiError } from './api.ts';

export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 6000;
let lastId = 0;
const shown = $state<Toast[]>([]);

/** Short words about something the person just did; failures stay until they are closed. */
export const toasts = {
  get list(): readonly Toast[] {
    return shown;
  },
  done(text: string, action?: Toast['action']): void {
    const id = add({ kind: 'done', text, ...(action === undefined ? {} : { action }) });
    setTimeout(() => toasts.close(id), SHOWN_MS);
  },
  failed(failure: unknown): void {
    if (isAbort(failure)) return;
    const { message, hint } = toApiError(failure);
    add({ kind: 'failed', text: sentence(`${message}. ${hint}`) });
  },
  /** What the page itself did not take. */
  refused(text: string): void {
    add({ kind: 'failed', text });
  },
  close(id: number): void {
    const index = shown.findIndex((toast) => toast.id === id);
    if (index !== -1) shown.splice(index, 1);
  },
};

function add(toast: Omit<Toast, 'id'>): number {
  lastId += 1;
  shown.push({ id: lastId, ...toast });
  return lastId;
}

/** Messages are written to stand after a colon, with commands in backticks; here they stand alone. */
export function sentence(text: string): string {
  return (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll('`', '').trim();
}
