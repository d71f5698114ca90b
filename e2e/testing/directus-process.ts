import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { closedPort } from '../../server/runners/http/testing/servers.ts';
import { directusNode, directusProgram } from './directus.mjs';
import { tempFolder } from './forge-process.ts';

/** A Directus of the test's own with an administrator and one empty collection, `articles`. */
export interface Directus {
  url: string;
  user: { email: string; password: string };
  /** Sends a request of the administrator's. */
  send(method: string, place: string, body?: object): Promise<unknown>;
}

export async function startDirectus(): Promise<Directus> {
  const folder = tempFolder();
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}`;
  const user = { email: 'ada@example.com', password: 'correct "horse" ÄÖ 1' };
  for (const name of ['uploads', 'extensions']) mkdirSync(path.join(folder, name));
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...{ HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: url },
    ...{ DB_CLIENT: 'sqlite3', DB_FILENAME: path.join(folder, 'data.db') },
    ...{ STORAGE_LOCATIONS: 'local', STORAGE_LOCAL_ROOT: path.join(folder, 'uploads') },
    EXTENSIONS_PATH: path.join(folder, 'extensions'),
    ...{ SECRET: 'a-secret-of-the-test-of-32-bytes-', KEY: 'test', TELEMETRY: 'false' },
    ...{ ADMIN_EMAIL: user.email, ADMIN_PASSWORD: user.password },
  };
  const start = { cwd: folder, env };
  execFileSync(directusNode, [directusProgram, 'bootstrap'], { ...start, stdio: 'pipe' });
  const child = spawn(directusNode, [directusProgram, 'start'], { ...start, stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await expect
    .poll(() =>
      fetch(`${url}/server/ping`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  const send = async (method: string, place: string, body?: object, token?: string): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const answer = await fetch(url + place, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect([place, answer.status]).toEqual([place, 200]);
    return answer.json();
  };
  const { data } = (await send('POST', '/auth/login', user)) as { data: { access_token: string } };
  await send('POST', '/collections', COLLECTION, data.access_token);
  return { url, user, send: (method, place, body) => send(method, place, body, data.access_token) };
}

const COLLECTION = {
  collection: 'articles',
  schema: {},
  meta: {},
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
    { field: 'title', type: 'string' },
  ],
};
