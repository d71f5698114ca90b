/** The path a plain click on one of our own links leads to; null for everything the browser should do itself. */
export function linkedPath(event: MouseEvent, mode: 'path' | 'hash'): string | null {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (
    event.defaultPrevented ||
    !isPlainClick(event) ||
    link === null ||
    link.target !== '' ||
    link.hasAttribute('download')
  )
    return null;
  const href = link.getAttribute('href') ?? '';
  if (mode === 'hash') return href.startsWith('#/') ? href.slice(1) : null;
  return href.startsWith('/') && !href.startsWith('//') && !href.startsWith('/api/') ? href : null;
}

/** Without a key that asks the browser for a tab, a window or a download. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
