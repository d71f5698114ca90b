import { toasts } from './toasts.svelte.ts';

/** Puts a text on the clipboard and says so. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.done(done);
  } catch (failure) {
    toasts.failed(failure);
  }
}
