import { isPlainClick } from './linked-path.ts';
import type { Router } from './router.svelte.ts';
import { isWide } from './wide.ts';

/** A plain click on an entry of a list opens it beside the list, which stays where it is; in a narrow window it is a link like any other. */
export function openBeside(event: MouseEvent, router: Router, path: string): void {
  if (!isWide.current || !isPlainClick(event)) return;
  event.preventDefault();
  void router.go(path, { isStaying: true });
}
