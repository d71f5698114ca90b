/** Whether the extension that put a script of ours into a page is still there; one that was updated or turned off takes its name along. */
export function isStillLoaded(): boolean {
  return (chrome.runtime as Partial<typeof chrome.runtime> | undefined)?.id !== undefined;
}
