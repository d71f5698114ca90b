import { DatabaseSync } from '@photostructure/sqlite';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'node:http';
import { ask, ROOT, startForge, type Forge } from './processes.ts';
import { ms } from './stats.ts';

const PRELOAD = path.join(ROOT, '.scripts/bench/loop-delay.mjs');
const LARGE_BYTES = 10_000_000;
const SAVED_SECRETS = 500;
const LOGGED_CALLS = 1_000_000;

const manifest = (secrets: number) => `id: stall
name: Stall
version: "1.0.0"
description: Answers that are large, for a measurement.
settings:
  base_url: { required: true }
${Array.from({ length: secrets }, (_, n) => `  secret_${n}: { type: secret }`).join('\n')}
tools:
  rows: { protocol: http, read_only: true, description: Rows., request: { url: '{base_url}/rows' } }
  exchanged:
    protocol: http
    read_only: true
    description: With a bearer of its own.
    parameters: { id: { required: true } }
    auth: { type: bearer-token-exchange, api_token: '{args.id}', exchange_url: '{settings.base_url}/login' }
    request: { url: '{base_url}/small' }
  print: { protocol: shell, read_only: true, description: Prints a lot., command: [seq, '1', '1400000'] }
`;

/** The longest time the event loop stood still while each of these ran, beside that of a loop with nothing to do. */
export async function benchStalls(folder: string): Promise<void> {
  const api = await largeApi();
  const dataDir = path.join(folder, 'data-stalls');
  await seedCalls(dataDir);
  const forge = await startForge(
    dataDir,
    { NODE_OPTIONS: `--import ${PRELOAD}`, FORGE_CALL_LOG_ROWS: '2000000' },
    'pipe',
  );
  const stall = stallsOf(forge);
  const values: Record<string, string> = { base_url: api.url };
  for (let n = 0; n < SAVED_SECRETS; n += 1) values[`secret_${n}`] = `sAved-${n}-${'x7Q'.repeat(8)}`;
  await ask(forge, 'POST', '/api/connectors/install-local', { yaml: manifest(SAVED_SECRETS) });
  await ask(forge, 'PUT', '/api/connectors/stall/settings', { values });
  const call = (tool: string, args: object = {}) => ask(forge, 'POST', `/api/tools/stall.${tool}/call`, { args });
  const rows = async (): Promise<string> => {
    const answer = (await call('rows')) as { handle?: string };
    const { handle } = answer;
    if (handle === undefined) throw new Error(`the result was not cut: ${JSON.stringify(answer).slice(0, 300)}`);
    return handle;
  };
  // Code that runs for the first time is compiled, which is not what is measured here.
  const handle = await rows();
  const idle = await stall('(g) longest stall of the event loop, idle for a second', () => rest(1000));
  const measured: [string, () => Promise<unknown>][] = [
    ['a result of 10 MB', rows],
    ['8 of them at once', () => Promise.all(Array.from({ length: 8 }, rows))],
    ['a page of it', () => ask(forge, 'GET', `/api/results/${handle}?offset=5000&limit=50`)],
    ['a search in it', () => ask(forge, 'GET', `/api/results/${handle}?search=name-77`)],
    ['10 MB that a program prints', () => call('print')],
    ['20 new bearers beside 500 saved secrets', () => each(20, (n) => call('exchanged', { id: `id-${n}` }))],
    ['a search in a million calls', () => ask(forge, 'GET', '/api/calls?search=nowhere-to-be-found')],
    ['linting a script of 55,000 tokens', () => ask(forge, 'POST', '/api/connectors/lint', { yaml: longScript('a') })],
    ['its preview', () => ask(forge, 'POST', '/api/connectors/preview', { yaml: longScript('b') })],
    ['its installation', () => ask(forge, 'POST', '/api/connectors/install-local', { yaml: longScript('c') })],
    ['installing 1,000 tools', () => ask(forge, 'POST', '/api/connectors/install-local', { yaml: manyTools('a') })],
    ['the preview of other ones', () => ask(forge, 'POST', '/api/connectors/preview', { yaml: manyTools('b') })],
    ['their difference', () => ask(forge, 'POST', '/api/connectors/many/diff', { yaml: manyTools('c') })],
    ['calling one of its tools', () => ask(forge, 'POST', '/api/tools/long.run/call', { args: {} })],
  ];
  for (const [name, run] of measured) await stall(`    ${name}`, run, idle);
  await forge.stop();
  await api.close();
}

const rest = (wait: number) => new Promise((resolve) => setTimeout(resolve, wait));

async function each(count: number, run: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n += 1) await run(n);
}

/** Runs something and prints the longest stall meanwhile, the largest of three. */
function stallsOf(forge: Forge) {
  const { child } = forge;
  if (child.stdout === null) throw new Error('the output is not read');
  const lines = createInterface({ input: child.stdout });
  const longest = (): Promise<number> =>
    new Promise((resolve) => {
      const take = (line: string): void => {
        const found = /^longest stall ([\d.]+)$/.exec(line)?.[1];
        if (found === undefined) return;
        lines.off('line', take);
        resolve(Number(found));
      };
      lines.on('line', take);
      child.kill('SIGUSR2');
    });
  return async (name: string, run: () => Promise<unknown>, idle?: number): Promise<number> => {
    let largest = 0;
    for (let round = 0; round < 3; round += 1) {
      await longest();
      await run();
      largest = Math.max(largest, await longest());
    }
    console.log(`${name}: ${ms(largest)}${idle === undefined ? '' : `, ${(largest / idle).toFixed(1)}× idle`}`);
    return largest;
  };
}

/** 55,000 tokens that are no two the same. */
function longScript(mark: string): string {
  const lines = Array.from({ length: 2750 }, (_, n) => `const ${mark}${n} = [${n}, "x${n}"].map((v) => v + ${n});`);
  return `id: long
name: Long
version: "1.0.0"
description: A connector with a long script, for a measurement.
host_match: https://long.example/*
login_redirect: /login
tools:
  run:
    read_only: true
    description: Runs for long.
    script: |
      ${lines.join('\n      ')}
      return 1;
`;
}

/** A thousand tools whose requests and descriptions depend on `mark`. */
function manyTools(mark: string): string {
  const tool = (n: number) => `  t${n}:
    protocol: http
    description: Tool ${n} ${mark}.
    parameters: { id: { type: string, required: true, description: The id. }, q: { type: string } }
    request: { method: POST, url: '{base_url}/x${n}/{args.id}', body: { a: '{args.q}', m: ${mark} } }`;
  return `id: many
name: Many
version: "1.0.0"
description: A connector with many tools, for a measurement.
settings: { base_url: { required: true }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
${Array.from({ length: 1000 }, (_, n) => tool(n)).join('\n')}
`;
}

/** A log of a million rows. They are not part of the hash chain, which a search does not look at. */
async function seedCalls(dataDir: string): Promise<void> {
  await (await startForge(dataDir)).stop();
  const db = new DatabaseSync(path.join(dataDir, 'forge.db'));
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LOGGED_CALLS})
    INSERT INTO calls SELECT 1000000 + i, 'call_seeded_' || i, '2026-01-01T00:00:00.000Z', 'api', 'stall.rows', 'stall',
      '{"page":' || i || '}', 'ok', NULL, NULL, 5, '{}', '{"request":"GET http://127.0.0.1/rows"}', '', '' FROM n;
  `);
  db.close();
}

async function largeApi() {
  const row = (n: number) => ({
    id: n,
    name: `name-${n}`,
    tags: ['a', 'b'],
    nested: { on: n % 2 === 0, text: 'x'.repeat(60) },
  });
  const rows: ReturnType<typeof row>[] = [];
  for (let bytes = 0; bytes < LARGE_BYTES; bytes += JSON.stringify(rows.at(-1)).length + 1) rows.push(row(rows.length));
  const large = Buffer.from(JSON.stringify(rows));
  let logins = 0;
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    logins += Number(request.url === '/login');
    if (request.url === '/rows') response.end(large);
    else response.end(JSON.stringify({ token: `beAr3r-${logins}-${'k9Z'.repeat(12)}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}
