import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FORGE = path.join(ROOT, 'server/launch/forge.mjs');

/** A folder of the test's own, gone when the test is, or when `atEnd` says so. */
export function tempFolder(atEnd: (end: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-e2e-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface ForgeProcess {
  child: ChildProcess;
  url: string;
  /** The link that was printed at the start; it works once. */
  loginLink: string;
  token: string;
  /** Another link. */
  newLoginLink(): Promise<string>;
  output: () => string;
  exited: Promise<number | null>;
  call(method: string, place: string, body?: unknown): Promise<Response>;
}

function environment(dataDir: string, extra: Record<string, string>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    FORGE_DATA_DIR: dataDir,
    FORGE_KEY_STORE: 'file',
    FORGE_PORT: '0',
    FORGE_LOG: 'warn',
    ...extra,
  };
}

/** Starts the built server the way `npm start` does, and waits for its login link. `atEnd` is told how to end it. */
export async function startForgeProcess(
  dataDir: string,
  extra: Record<string, string> = {},
  atEnd: (end: () => void) => void = onTestFinished,
  // Tests that need the extension build it before.
  flags: string[] = ['--no-extension'],
): Promise<ForgeProcess> {
  const child = spawn(process.execPath, [FORGE, 'start', ...flags], {
    env: environment(dataDir, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const loginLink = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const link = /http:\/\/127\.0\.0\.1:\d+\/#code=\S+/.exec(output)?.[0];
      if (link !== undefined) resolve(link);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then((code) => reject(new Error(`forge start ended with ${String(code)}:\n${output}`)));
  });
  const url = loginLink.slice(0, loginLink.indexOf('/#'));
  const token = readFileSync(path.join(dataDir, 'token'), 'utf8').trim();
  const call = (method: string, place: string, body?: unknown) =>
    fetch(url + place, {
      method,
      headers: { 'X-Forge-Token': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const newLoginLink = async (): Promise<string> => {
    const { code } = (await (await call('POST', '/api/auth/codes')).json()) as { code: string };
    return `${url}/#code=${code}`;
  };
  return { child, url, loginLink, token, newLoginLink, output: () => output, exited, call };
}

/** Runs one `forge` command to its end. */
export async function runForge(
  dataDir: string,
  args: string[],
  extra: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [FORGE, ...args], {
    env: environment(dataDir, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}
