import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startForgeProcess, tempFolder, type ForgeProcess } from './forge-process.ts';

const SECRET = 'sk-live-4f9a0c77d1e2b3a4';

/** What a person has accepted: a token for one host, a comment that asks first, a program, a chain. */
export const trackerManifest = (id: string): string => `id: ${id}
name: Tracker
version: "1.0.0"
description: Reads and comments issues.
settings:
  base_url: { type: string, label: Address, default: 'https://api.tracker.example' }
  status_url: { type: string, label: Status page, default: 'https://status.tracker.example' }
  token: { type: secret, label: Token }
auth: { type: bearer, token: '{settings.token}' }
test: { request: { method: GET, url: '{base_url}/me' } }
tools:
  add_comment:
    protocol: http
    description: Add a comment.
    destructive: true
    parameters: { id: { type: string, required: true, description: The issue. } }
    request: { method: POST, url: '{base_url}/comments/{args.id}', headers: { X-App: forge }, body: { text: hello } }
  get_issue:
    protocol: http
    description: Get an issue.
    returns: The issue.
    parameters: { id: { type: string, default: '1', description: The issue. } }
    request: { method: GET, url: '{base_url}/issues/{args.id}' }
  get_status:
    protocol: http
    description: Get the status page.
    auth: { type: none }
    request: { method: GET, url: '{status_url}/now' }
  build:
    protocol: http
    description: Start a build.
    request: { method: GET, url: '{base_url}/build' }
    async: { poll: get_issue, done_match: { path: state, equals: done }, on_done: { mode: tool, tool: get_status } }
  version:
    protocol: shell
    description: Print a version.
    command: [printf, '1.0']
    env: { MODE: quiet }
`;

interface Line {
  tool: string | null;
  place: string;
  before: string | null;
  after: string | null;
}

export interface Preview {
  changed: boolean;
  flows: { added: string[]; removed: string[] };
  lines: Line[];
  sha256: string;
}

export const json = async (answer: Promise<Response>): Promise<unknown> => (await answer).json();

/** The manifest with one place changed, as the next version. */
export function changed(yaml: string, from: string, to: string): string {
  if (!yaml.includes(from)) throw new Error(`nothing to change: ${from}`);
  return yaml.replace(from, to).replace('version: "1.0.0"', 'version: "1.0.1"');
}

/** A Forge for a whole file, the service that its connectors talk to, and what that has seen. */
export function acceptedWorld() {
  const seen: { method: string; url: string }[] = [];
  const ends: (() => void)[] = [];
  let forge: ForgeProcess;
  let service = '';
  let count = 0;
  beforeAll(async () => {
    const server = createServer((request, response) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '' });
      response.setHeader('content-type', 'application/json').end('{"state":"done"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    ends.push(() => void server.close());
    const atEnd = (end: () => void) => void ends.push(end);
    forge = await startForgeProcess(tempFolder(atEnd), {}, atEnd);
  });
  afterAll(() => {
    for (const end of ends.reverse()) end();
  });
  const call: ForgeProcess['call'] = (...request) => forge.call(...request);
  const install = async (yaml: string): Promise<void> => {
    expect((await call('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
  };
  return {
    seen,
    call,
    install,
    preview: async (yaml: string): Promise<Preview> =>
      (await json(call('POST', '/api/connectors/preview', { yaml }))) as Preview,
    callTool: (tool: string, args: unknown = {}, more: object = {}): Promise<Response> =>
      call('POST', `/api/tools/${tool}/call`, { args, ...more }),
    /** An installed connector of the test's own, with its addresses and its secret saved. */
    installed: async (): Promise<{ id: string; yaml: string; file: string }> => {
      const id = `tracker${(count += 1)}`;
      const yaml = trackerManifest(id);
      await install(yaml);
      const values = { base_url: service, status_url: service, token: SECRET };
      expect((await call('PUT', `/api/connectors/${id}/settings`, { values })).status).toBe(200);
      const { path } = (await json(call('GET', `/api/connectors/${id}`))) as { path: string };
      onTestFinished(() => void (seen.length = 0));
      return { id, yaml, file: path };
    },
  };
}
