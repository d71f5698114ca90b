import { once } from 'node:events';
import { createServer } from 'node:http';

export const EVIL = `<img src=x onerror="window.hacked='img'"><script>window.hacked='script'</script>`;
export const PDF = '%PDF-1.4 the report';

export interface PeopleService {
  origin: string;
  /** The bodies of the requests that have renamed somebody. */
  renamed: string[];
  /** While true, its page leads to the login. */
  isLoggedOut: boolean;
  close(): void;
}

/** A service that wants the right token, and has people, a long list, a file and a page. */
export async function startPeopleService(): Promise<PeopleService> {
  const json = (rows: unknown) => ['application/json', JSON.stringify(rows)] as const;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://service');
    const who = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString();
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (pathname === '/me/api/json' && who !== 'ada:right') {
        response.writeHead(401).end(`${who} is wrong`);
        return;
      }
      if (pathname === '/page' && service.isLoggedOut) {
        response.writeHead(302, { Location: '/login.jsp' }).end();
        return;
      }
      if (pathname === '/rename') service.renamed.push(body);
      const people = [{ name: 'Ada', link: 'https://a.test/ada', note: EVIL }];
      const many = Array.from({ length: 1000 }, (_, index) => ({ id: index, text: `row number ${index}` }));
      const answers: Record<string, readonly [string, string]> = {
        '/me/api/json': json({ id: 'ada', fullName: 'Ada Lovelace' }),
        '/people': json([...people, { name: 'Bob', link: 'javascript:alert(1)', note: '' }]),
        '/many': json(many),
        '/rename': json({ ok: true }),
        '/report': ['application/pdf', PDF],
      };
      const [type, text] = answers[pathname] ?? ['text/html', '<!doctype html><title>p</title><h1>A heading</h1>'];
      const name = { 'Content-Disposition': 'attachment; filename="report.pdf"' };
      response.writeHead(200, { 'Content-Type': type, ...(text === PDF ? name : {}) }).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const service: PeopleService = {
    origin: `http://127.0.0.1:${port}`,
    renamed: [],
    isLoggedOut: false,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}
