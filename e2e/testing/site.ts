import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A web site with one page for each thing that a page can do to a tool. */
export interface Site {
  origin: string;
  hostMatch: string;
  /** Requests so far, by path. */
  hits: Map<string, number>;
  /** Answers the requests that wait at /hold/<name>. */
  release(name: string): void;
  close(): Promise<void>;
}

const STRICT = "default-src 'none'; script-src 'none'; connect-src 'self'";
const ROWS = Array.from(
  { length: 100 },
  (_, index) =>
    `<tr class="row" data-key="K-${index}"><td class="title">Summary number ${index}, with as many words as titles have in real projects, and then some</td><td class="status">Open</td><td class="owner">Somebody Number ${index}</td><td><a href="/browse/K-${index}">open</a></td></tr>`,
).join('');

const LINES = '<br>'.repeat(200);

/** One element for each way to find one; its scripts tell what they heard of. */
const PICKER = `<main id="app"><h1 id="title">Tickets</h1>
<form action="/sent"><input id=":r1:" name="id" placeholder="Number"><input name="parentNode">
<button data-testid="save-button" class="css-1x2y3z primary" aria-label="Save it">Save <b>now</b></button></form>
<ul><li class="row" data-key="K-101">First</li><li class="row" data-key="K-102">Second</li><li class="row" data-key="K-103">Third</li></ul>
<a id="away" href="/elsewhere">Away</a> <button id="off" disabled>Off</button>
<div id="host"></div><iframe src="/inner"></iframe></main><dialog><p id="inside">Inside</p></dialog>${LINES}<p id="end">The end</p>
<script nonce="site">
host.attachShadow({ mode: "open" }).innerHTML = "<b class=deep>found</b>";
window.heard = [];
for (const name of ["click", "pointerdown", "mousedown", "mouseup", "keydown", "submit"])
  document.addEventListener(name, (event) => window.heard.push(event.type), true);
</script>`;

/** Text that would be code elsewhere, and a script that clicks at whatever appears. */
const PICKER_HOSTILE = `<button id="bait" aria-label="<img src=x onerror=alert(1)>" data-huge="${'x'.repeat(5000)}">&lt;script&gt;alert(2)&lt;/script&gt;</button>
<script>
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) {
    if (!(node instanceof HTMLElement)) continue;
    for (const type of ["pointermove", "pointerdown", "click"])
      node.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, clientX: 5, clientY: 5 }));
    window.postMessage({ kind: "picked", picked: { tag: "fake" } }, "*");
    window.root = node.shadowRoot;
  }
}).observe(document.documentElement, { childList: true });
</script>`;

const PAGES: Record<string, (response: ServerResponse) => string> = {
  '/plain': () => '<h1 id="top">Plain</h1><script>window.fromPage = 42</script>',
  '/csp': (response) => {
    response.setHeader('Content-Security-Policy', STRICT);
    return '<h1>Strict</h1>';
  },
  '/trusted-types': (response) => {
    response.setHeader(
      'Content-Security-Policy',
      `${STRICT}; require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    return '<h1>Trusted</h1>';
  },
  '/private': (response) => {
    response.writeHead(302, { Location: '/login.jsp?next=private' });
    return '';
  },
  '/login.jsp': () => '<form id="login"><input name="user"></form>',
  '/script-redirect': () => '<script>location.replace("/plain?redirected")</script>',
  '/hostile': () =>
    '<script>JSON.stringify = () => "stolen"; Promise = null; Array.prototype.map = () => "stolen"</script><h1>Hostile</h1>',
  '/table': () => `<table>${ROWS}</table>`,
  '/late': () =>
    '<div id="host"></div><script>setTimeout(() => host.attachShadow({mode:"open"}).innerHTML = "<b id=late>came late</b>", 300)</script>',
  '/form': () => '<textarea id="text"></textarea><script>window.marker = Math.random()</script>',
  '/frames': () => '<iframe src="/inner"></iframe><h1>Outer</h1>',
  '/inner': () => '<h1>Inner</h1>',
  '/shadow': () =>
    '<div id="host"></div><script>host.attachShadow({mode:"open"}).innerHTML = "<b class=deep>found</b>"</script>',
  '/leaves': () => '<h1>Leaves</h1>',
  '/sandbox': (response) => {
    response.setHeader('Content-Security-Policy', 'sandbox allow-scripts');
    return '<h1>Sandbox</h1>';
  },
  // Takes away its first address as single-page applications do.
  '/spa': () => '<h1>App</h1><script>history.pushState({}, "", "/spa/board/7")</script>',
  '/dialog': () =>
    '<h1>Dialog</h1><script>addEventListener("beforeunload", (event) => event.preventDefault())</script>',
  // Each says so just before nothing can be asked of it any more.
  '/hangs': () => '<h1>Hangs</h1><script>onload = () => { navigator.sendBeacon("/hanging"); for (;;); }</script>',
  '/alerts': () => '<h1>Alerts</h1><script>onload = () => { navigator.sendBeacon("/alerting"); alert("!"); }</script>',
  '/issues/': () =>
    `<table>${['ABC-1', 'ABC-2']
      .map(
        (key) =>
          `<tr class="issuerow" data-issuekey="${key}"><td class="summary"> Fix ${key} </td><td class="status">Open</td><td><a class="issue-link" href="/browse/${key}">${key}</a></td></tr>`,
      )
      .join('')}</table>`,
  '/picker': (response) => {
    response.setHeader('Content-Security-Policy', "default-src 'none'; script-src 'nonce-site'; frame-src 'self'");
    return PICKER;
  },
  '/picker-hostile': () => PICKER_HOSTILE,
  '/virtual':
    () => `<div id="list" style="height:300px;overflow:auto"><div style="height:100000px;position:relative"></div></div>
<script>
const list = document.getElementById("list"), inner = list.firstElementChild;
const draw = () => {
  const first = Math.floor(list.scrollTop / 20);
  inner.innerHTML = Array.from({ length: 40 }, (_, i) => first + i).filter((n) => n < 5000)
    .map((n) => '<div class="item" style="position:absolute;height:20px;top:' + n * 20 + 'px">Row ' + n + '</div>').join("");
};
list.addEventListener("scroll", draw);
draw();
</script>`,
};

/** Waits before it answers, answers by pointing on, or keeps what it is sent. */
const SPECIAL: Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => void> = {
  '/slow': (_request, response) => {
    setTimeout(() => response.end('<!doctype html><title>Slow</title><h1>Slow</h1>'), 1500);
  },
  '/chain': (_request, response, url) => {
    const left = Number(url.searchParams.get('left') ?? '5');
    response.writeHead(302, { Location: left > 0 ? `/chain?left=${left - 1}` : '/plain?arrived' }).end();
  },
  '/rest/api/2/issue/ABC-1/comment': (request, response) => {
    request.resume();
    response.setHeader('Content-Type', 'application/json');
    response.statusCode = request.headers.cookie?.includes('sid=secret') === true ? 201 : 401;
    response.end('{}');
  },
};

/** Starts the site on a free port. */
export async function startSite(): Promise<Site> {
  const hits = new Map<string, number>();
  const held: { pathname: string; response: ServerResponse }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site');
    const { pathname } = url;
    hits.set(pathname, (hits.get(pathname) ?? 0) + 1);
    const special = SPECIAL[pathname];
    if (special !== undefined) {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      special(request, response, url);
      return;
    }
    if (pathname.startsWith('/hold/')) {
      held.push({ pathname, response });
      return;
    }
    // Says how many different ones have come. Browsers have six requests to one host under way at the most, so they cannot all be held.
    if (pathname.startsWith('/together/')) {
      response.end(String([...hits.keys()].filter((path) => path.startsWith('/together/')).length));
      return;
    }
    if (pathname === '/never') {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.write('<h1>Never');
      return;
    }
    if (pathname === '/cookie') response.setHeader('Set-Cookie', 'sid=secret; HttpOnly; SameSite=Strict');
    if (pathname === '/who') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ cookie: request.headers.cookie ?? null }));
      return;
    }
    const page = PAGES[pathname];
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const body = page === undefined ? `<h1>${pathname}</h1>` : page(response);
    response.end(body === '' ? '' : `<!doctype html><title>${pathname}</title>${body}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    origin,
    hostMatch: `${origin}/*`,
    hits,
    release(name) {
      for (const { pathname, response } of held) if (pathname === `/hold/${name}`) response.end();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
