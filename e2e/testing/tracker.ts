import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** Issues to be read, comments to be written, and a build that takes its time. */
export const TRACKER = `id: tracker
name: Tracker
version: "1.0.0"
description: Issues, and what people say about them.
settings: { base_url: { required: true } }
tools:
  list_issues:
    protocol: http
    description: List the issues.
    request: { method: GET, url: '{base_url}/issues' }
  add_comment:
    protocol: http
    description: Comment on an issue.
    destructive: true
    parameters: { issue: { required: true }, text: { required: true } }
    request: { method: POST, url: '{base_url}/comments', body: { issue: '{args.issue}', text: '{args.text}' } }
  start_build:
    protocol: http
    description: Start a build.
    request: { method: POST, url: '{base_url}/builds' }
    async:
      poll: get_build
      poll_args: { id: '{result.id}' }
      done_path: finished
      interval_sec: 30
      timeout_sec: 900
      max_polls: 500
      on_done: { mode: chat, message: 'Build {result.id} is green.' }
      progress: { show: true, message: 'Building… {poll_count}/{max_polls}' }
  get_build:
    protocol: http
    description: Look at a build.
    parameters: { id: { required: true } }
    request: { method: GET, url: '{base_url}/builds/{args.id}' }
`;

const ISSUES = [
  { id: 'ABC-12', title: 'The export stops at 1,000 rows', assignee: 'ada', priority: 'high' },
  { id: 'ABC-17', title: 'Wrong month in the footer', assignee: 'ada', priority: 'low' },
];

export interface Tracker {
  url: string;
  /** What was posted, as `/comments {"text":"…"}`. */
  written: string[];
  finishBuild(): void;
}

/** The service behind the manifest above. */
export async function startTracker(atEnd: (end: () => void) => void): Promise<Tracker> {
  const written: string[] = [];
  let isBuilt = false;
  const service = createServer((request, response) => {
    void readText(request).then((body) => {
      if (request.method === 'POST') written.push(`${String(request.url)} ${body}`);
      const answers: Record<string, unknown> = {
        '/issues': ISSUES,
        '/comments': { ok: true },
        '/builds': { id: 'b7' },
        '/builds/b7': { finished: isBuilt },
      };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
    });
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  atEnd(() => {
    service.closeAllConnections();
    service.close();
  });
  const { port } = service.address() as AddressInfo; // it listens
  return { url: `http://127.0.0.1:${port}`, written, finishBuild: () => void (isBuilt = true) };
}
