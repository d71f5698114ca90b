// An API that answers 2 kB of JSON, and one login for the exchange.
import { createServer } from 'node:http';

const items = Array.from({ length: 20 }, (_, index) => ({
  id: index,
  title: `Item number ${index}`,
  state: 'open',
  url: `https://example.test/items/${index}`,
  labels: ['a', 'b'],
}));
const body = JSON.stringify({ items });
let logins = 0;
const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  if (request.url === '/logins') response.end(JSON.stringify({ logins }));
  else if (request.url === '/login') {
    logins += 1;
    // The first bearer has run out when it arrives, so that the calls after it find an expired one.
    const answer = { bearerToken: `t${logins}`, expiresInMilliseconds: logins === 1 ? 1 : 600_000 };
    setTimeout(() => response.end(JSON.stringify(answer)), 20);
  } else response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env['BENCH_PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
