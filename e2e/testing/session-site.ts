import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site whose sessions live on the server, where they end without any page being told. */
export interface SessionSite {
  origin: string;
  /** Requests so far, by path. */
  hits: Map<string, number>;
  logIn(): void;
  logOut(): void;
  close(): Promise<void>;
}

/** Looks at its session a moment after it has loaded, as single-page applications do, and moves to its login page without a new document. */
const APP = `<div id="root"></div><script>
fetch('/me').then((answer) => setTimeout(() => {
  if (answer.ok) root.innerHTML = '<nav id="me">Ana</nav><ul><li>One</li></ul>';
  else { history.pushState({}, '', '/signin'); root.innerHTML = '<form id="signin"></form>'; }
}, 200));
</script>`;

export async function startSessionSite(): Promise<SessionSite> {
  const hits = new Map<string, number>();
  let isLoggedIn = false;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    hits.set(pathname, (hits.get(pathname) ?? 0) + 1);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (pathname === '/me') response.writeHead(isLoggedIn ? 200 : 401).end();
    else if (pathname.startsWith('/app')) response.end(APP);
    else if (pathname === '/signin') response.end('<form id="signin"></form>');
    else if (!isLoggedIn) response.writeHead(302, { Location: '/signin' }).end();
    else response.end('<nav id="me">Ana</nav>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits,
    logIn: () => (isLoggedIn = true),
    logOut: () => (isLoggedIn = false),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
