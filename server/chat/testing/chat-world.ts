import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fakeLlm, type FakeLlm } from '../../execution/testing/fake-llm/fake-llm.ts';
import { testForge, type TestForge } from '../../testing/forge.ts';

type AtEnd = (end: () => Promise<void> | void) => void;

/** A site that remembers what was asked of it; what it answers, a test decides. */
export interface Site {
  url: string;
  host: string;
  /** `POST /comments {"text":"…"}` */
  seen: string[];
  /** JSON, a page or a plain text; null is no answer at all. */
  answer: () => string | null;
}

export interface ChatWorld {
  forge: TestForge;
  llm: FakeLlm;
  /** Where issues are read and commented on. */
  tracker: Site;
  /** Where mail is sent from: another site. */
  mail: Site;
  install: (yaml: string, id: string, values: object) => Promise<void>;
  newSession: () => Promise<string>;
  say: (sessionId: string, text: string, more?: object) => Promise<{ status: number; body: any }>; // oxlint-disable-line typescript/no-explicit-any
  /** Says something and waits until the answer is written down. */
  ask: (sessionId: string, text: string, more?: object) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  /** A message, once it has ended. */
  ended: (sessionId: string, messageId: string) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  get: (sessionId: string) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  /** The approval that a conversation waits for. */
  waiting: (sessionId: string) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  decide: (approvalId: string, decision: object) => Promise<unknown>;
}

export const TRACKER_SECRET = 'canary-tracker-token-81b2';

/** By how it begins. */
const TYPES: Record<string, string> = { '<': 'text/html', '{': 'application/json', '[': 'application/json' };

export async function newSite(atEnd: AtEnd): Promise<Site> {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    void readText(request).then((body) => {
      seen.push(`${request.method} ${request.url} ${body}`.trim());
      const answer = made.answer();
      if (answer === null) return;
      const type = TYPES[answer.charAt(0)] ?? 'text/plain';
      response.writeHead(200, { 'Content-Type': type }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made: Site = { url: `http://${host}`, host, seen, answer: () => JSON.stringify({ ok: true }) };
  return made;
}

const trackerManifest = `id: tracker
name: Tracker
version: "1.0.0"
description: Issues, and what people say about them.
settings: { base_url: { required: true }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  list_issues:
    protocol: http
    description: List the issues.
    request: { method: GET, url: '{base_url}/issues' }
  add_comment:
    protocol: http
    description: Comment on an issue.
    destructive: true
    parameters: { text: { required: true } }
    request: { method: POST, url: '{base_url}/comments', body: { text: '{args.text}' } }
`;

const mailManifest = `id: mail
name: Mail
version: "1.0.0"
description: Mail of this person, read and sent.
settings: { base_url: { required: true } }
tools:
  inbox:
    protocol: http
    description: Read the inbox.
    request: { method: GET, url: '{base_url}/inbox' }
  send:
    protocol: http
    description: Send a mail.
    destructive: true
    parameters: { to: { required: true }, body: {} }
    request: { method: POST, url: '{base_url}/send', body: { to: '{args.to}', body: '{args.body}' } }
  draft:
    protocol: http
    description: Save a draft.
    parameters: { body: {} }
    request: { method: POST, url: '{base_url}/drafts', body: { body: '{args.body}' } }
`;

/** A connector with so many tools; above 40, models are shown none of them one by one. */
export function manyTools(count: number): string {
  const tool = (_: unknown, n: number) =>
    `  t${n}: { description: Tool ${n}., protocol: http, request: { url: '{base_url}/t${n}' } }`;
  return `id: many
name: Many
version: "1.0.0"
description: Many tools.
settings: { base_url: { required: true } }
tools:
${Array.from({ length: count }, tool).join('\n')}
`;
}

/** A real server with two sites, and a model that a test writes the script for. */
export async function chatWorld(atEnd: AtEnd, env: Record<string, string> = {}): Promise<ChatWorld> {
  const llm = await fakeLlm([{ text: 'Hello.' }], { atEnd });
  const [tracker, mail] = [await newSite(atEnd), await newSite(atEnd)];
  const forge = await testForge({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url, ...env }, atEnd);
  const install = async (yaml: string, id: string, values: object) => {
    const installed = await forge.request('POST', '/api/connectors/install-local', { yaml });
    const saved = await forge.request('PUT', `/api/connectors/${id}/settings`, { values });
    if (installed.status !== 201 || saved.status !== 200) throw new Error(installed.text + saved.text);
  };
  await install(trackerManifest, 'tracker', { base_url: tracker.url, token: TRACKER_SECRET });
  await install(mailManifest, 'mail', { base_url: mail.url });
  return { llm, tracker, mail, install, ...chatClient(forge) };
}

/** What a page does with conversations. */
export function chatClient(forge: TestForge): Omit<ChatWorld, 'llm' | 'tracker' | 'mail' | 'install'> {
  const at = (id: string, rest = '') => `/api/chat/sessions/${id}${rest}`;
  const say = (id: string, text: string, more: object = {}) =>
    forge.request('POST', at(id, '/messages'), { text, ...more });
  const ended = async (id: string, messageId: string) => {
    await forge.services.chat.settled();
    return (await forge.request('GET', at(id, `/messages/${messageId}`))).body;
  };
  return {
    forge,
    say,
    ended,
    newSession: async () => (await forge.request('POST', '/api/chat/sessions', {})).body.id,
    ask: async (id, text, more) => {
      const { status, body } = await say(id, text, more);
      if (status !== 202) throw new Error(JSON.stringify(body));
      return ended(id, body.assistant_message_id);
    },
    get: async (id) => (await forge.request('GET', at(id))).body,
    waiting: (id) =>
      new Promise((resolve) => {
        const look = () => {
          const [found] = forge.services.calls.approvals.list({ status: 'pending', sessionId: id });
          if (found === undefined) return false;
          silence();
          resolve(found);
          return true;
        };
        const silence = forge.services.calls.approvals.listen(() => void look());
        look();
      }),
    decide: (approvalId, decision) => forge.request('POST', `/api/approvals/${approvalId}`, decision),
  };
}
