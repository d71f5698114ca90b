import { createRouter, type Router } from '../../shared/ui/router.svelte.ts';
import { openTab } from '../platform/current-site.ts';
import { pageUrl } from '../platform/browser.ts';

/** A view on a page of its own: the options page has all of them. */
export function fullPageUrl(path: string): string {
  return pageUrl(`options.html#${path}`);
}

const isChat = (path: string): boolean => path === '/chat' || path.startsWith('/chat/');

/** The side panel has the conversations and nothing else; everything else is shown in a tab. */
export function createPanelRouter(): Router {
  const inner = createRouter('hash', '/chat');
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.defaultPrevented;
    // In its place it would take the panel's own.
    if (link === null || !isPlain || !link.href.startsWith(pageUrl('options.html'))) return;
    event.preventDefault();
    openTab(link.href);
  });
  return {
    get path() {
      return inner.path;
    },
    get query() {
      return inner.query;
    },
    href: (path) => (isChat(path) ? inner.href(path) : fullPageUrl(path)),
    go: async (path, options) => {
      if (isChat(path)) await inner.go(path, options);
      else openTab(fullPageUrl(path));
    },
    setQuery: (query) => inner.setQuery(query),
    beforeLeave: (check) => inner.beforeLeave(check),
  };
}
