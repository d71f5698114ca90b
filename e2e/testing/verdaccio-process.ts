import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { tempFolder } from './forge-process.ts';
import { verdaccioProgram } from './verdaccio.mjs';

/** A line of its log; each request begins with one that has `req`. */
interface LogLine {
  req?: { method: string; url: string };
}

/** A package registry of the test's own, with one user in it. */
export interface Verdaccio {
  url: string;
  user: { name: string; password: string };
  /** How many logins it has been asked for since it was last started. */
  logins(): number;
  /** Starts it again in the same place with another key, so that no token from before is good any more. */
  restartWithNewKey(): Promise<void>;
}

const configText = (folder: string): string => `
storage: ${folder}/storage
auth: { htpasswd: { file: ${folder}/htpasswd, max_users: 10, algorithm: bcrypt, rounds: 4 } }
uplinks: {}
packages: { '**': { access: $authenticated, publish: $authenticated } }
security: { api: { jwt: { sign: { expiresIn: 1h } } } }
web: { title: The real service }
log: { type: stdout, format: json, level: http }
`;

export async function startVerdaccio(): Promise<Verdaccio> {
  const folder = tempFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(path.join(folder, 'config.yaml'), configText(folder));
  let running = await start(folder, port);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const user = { name: 'ada', password: 'correct horse "1" ÄÖ' };
  const made = await fetch(`${url}/-/user/org.couchdb.user:${user.name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  });
  expect(made.status).toBe(201);
  return {
    url,
    user,
    logins: () => running.log().filter(({ req }) => req?.url === '/-/verdaccio/sec/login').length,
    restartWithNewKey: async () => {
      running.child.kill('SIGTERM');
      await running.exited;
      replaceKey(path.join(folder, 'storage', '.verdaccio-db.json'));
      running = await start(folder, port);
    },
  };
}

interface Running {
  child: ChildProcess;
  exited: Promise<unknown>;
  log: () => LogLine[];
}

/** Waits for the line of its log that says where it listens. */
async function start(folder: string, port: number): Promise<Running> {
  const child = spawn(
    process.execPath,
    [verdaccioProgram, '--config', path.join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('http address')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then((code) => reject(new Error(`Verdaccio ended with ${String(code)}:\n${output}`)));
  });
  const lines = () => output.split('\n').filter((line) => line.startsWith('{'));
  // Lines that begin with a brace are its log.
  return { child, exited, log: () => lines().map((line) => JSON.parse(line) as LogLine) };
}

function replaceKey(file: string): void {
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>; // its own format
  writeFileSync(file, JSON.stringify({ ...stored, secret: randomBytes(16).toString('hex') }));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an address of this kind.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
