import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A site with issues for those who have logged in, as connectors/jira expects one. */
export interface IssueDesk {
  url: string;
  /** What was written, as `ABC-1: the text`. */
  comments: string[];
  close(): void;
}

const LOGIN =
  '<h1>Log in</h1><form method="post"><label>User <input name="user"></label><button>Log in</button></form>';
const ISSUES = [
  ['ABC-1', 'The export stops at 1,000 rows'],
  ['ABC-2', 'Wrong month in the footer'],
].map(
  ([key, title]) =>
    `<tr class="issuerow" data-issuekey="${key}"><td class="summary">${title}</td><td class="status">Open</td><td><a class="issue-link" href="/browse/${key}">${key}</a></td></tr>`,
);
const COMMENT = /^\/rest\/api\/2\/issue\/([\w-]+)\/comment$/;

function answer(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  const type = body.startsWith('{') ? 'application/json' : 'text/html; charset=utf-8';
  response.writeHead(status, { 'Content-Type': type, ...headers }).end(body);
}

export async function startIssueDesk(): Promise<IssueDesk> {
  const comments: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://desk');
    const isLoggedIn = request.headers.cookie?.includes('ticket=1') === true;
    void readText(request).then((body) => {
      const issue = COMMENT.exec(pathname)?.[1];
      if (pathname === '/login.jsp' && request.method === 'POST')
        answer(response, 302, '', {
          Location: '/issues/',
          'Set-Cookie': 'ticket=1; HttpOnly; SameSite=Strict; Path=/',
        });
      else if (pathname === '/login.jsp') answer(response, 200, LOGIN);
      else if (!isLoggedIn) answer(response, 302, '', { Location: '/login.jsp' });
      else if (issue !== undefined) {
        comments.push(`${issue}: ${(JSON.parse(body) as { body: string }).body}`); // what the manifest's script sends
        answer(response, 201, '{}');
      } else answer(response, 200, `<title>Issues</title><h1>Issues</h1><table>${ISSUES.join('')}</table>`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens
  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
