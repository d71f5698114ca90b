import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { readConfig } from '../config.ts';
import { startForge, type Forge, type StartOptions } from '../main.ts';

/** Runs something when a test, or whatever else owns it, is over; what was added last goes first. */
type AtEnd = (finish: () => Promise<void> | void) => void;

/** A folder of the test's own, gone when the test is. */
export function tempFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Answer {
  status: number;
  headers: Headers;
  // Tests look into answers of many shapes; each assertion is the check.
  body: any; // oxlint-disable-line typescript/no-explicit-any
  text: string;
}

export interface TestForge extends Forge {
  token: string;
  logLines: string[];
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A real server on a free port with a data dir of its own. */
export async function testForge(
  env: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
  options: StartOptions = {},
): Promise<TestForge> {
  const logLines: string[] = [];
  const config = readConfig({
    PATH: process.env['PATH'] ?? '',
    FORGE_PORT: '0',
    FORGE_KEY_STORE: 'file',
    FORGE_LOG: 'debug',
    FORGE_DATA_DIR: path.join(tempFolder(atEnd), 'data'),
    ...env,
  });
  const forge = await startForge(config, { log: (line) => logLines.push(line), waitMs: 2000, ...options });
  atEnd(() => forge.close());
  const token = forge.services.access.token();
  return {
    ...forge,
    token,
    logLines,
    request: async (method, place, body, headers = {}) => {
      const isBytes = body instanceof Uint8Array;
      const response = await fetch(forge.url + place, {
        method,
        headers: {
          'X-Forge-Token': token,
          ...(body === undefined ? {} : { 'Content-Type': isBytes ? 'application/zip' : 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: isBytes ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
    },
  };
}

/** A small valid manifest to start from. */
export function manifest(overrides: string = '', id = 'demo', version = '0.1.0'): string {
  return `id: ${id}
name: Demo
version: "${version}"
description: A connector for tests that says what it is for.
settings:
  base_url: { type: string, label: Base URL, required: true }
  token: { type: secret, label: Access token }
auth: { type: bearer, token: '{settings.token}' }
tools:
  get_item:
    protocol: http
    description: Get one item.
    parameters:
      id: { type: string, required: true, description: The item. }
    request: { method: GET, url: '{base_url}/items/{args.id}' }
${overrides}`;
}
