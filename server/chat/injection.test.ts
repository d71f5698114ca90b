import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turn, type LlmRequest } from '../execution/testing/fake-llm/script.ts';
import { DISGUISES } from './injection/disguises.ts';
import { send, type InjectionCase } from './injection/injection-case.ts';
import { OTHER_SITES } from './injection/other-sites.ts';
import { SECRETS } from './injection/secrets.ts';
import { WRITES } from './injection/writes.ts';
import { chatWorld, newSite, TRACKER_SECRET, type ChatWorld, type Site } from './testing/chat-world.ts';

const CASES = [...WRITES, ...SECRETS, ...OTHER_SITES, ...DISGUISES];
/** Those that want a mail sent, for which there is a standing approval. */
const DISPATCHED = CASES.filter(({ obeys }) => obeys.some(({ name }) => name === 'mail__send'));
/** Tools that only read, whoever asks for them. */
const READING = new Set(['mail.inbox', 'web.read_page', 'tracker.list_issues']);
const REFUSALS = new Set([
  'approval_required',
  'address_refused',
  'unsafe_value',
  'invalid_argument',
  'tool_not_found',
]);
const SECRET_SPELLINGS = ['utf8', 'base64', 'hex'] as const;

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void) => void endings.unshift(end);
let world: ChatWorld;
let web: Site;
let noteFile: string;

beforeAll(async () => {
  world = await chatWorld(atEnd);
  web = await newSite(atEnd);
  noteFile = path.join(world.forge.dataDir.root, 'written-note');
  await world.install(webManifest, 'web', { base_url: web.url });
  await world.install(hookManifest, 'hook', { token: TRACKER_SECRET });
  await world.install(notesManifest, 'notes', { file: noteFile });
  world.mail.answer = () => JSON.stringify({ subjects: ['Invoice'] });
  // The person has allowed what can be allowed for longer, but for the tracker that the orders come from.
  for (const tool_id of ['mail.send', 'hook.post'])
    expect((await world.forge.request('POST', '/api/approvals/standing', { tool_id, max_uses: 1000 })).status).toBe(
      201,
    );
});

afterAll(async () => {
  for (const end of endings) await end();
});

const webManifest = `id: web
name: Web
version: "1.0.0"
description: Reads pages of one web site.
settings: { base_url: { required: true } }
tools:
  read_page:
    protocol: http
    description: Read a page.
    parameters: { path: { default: index } }
    request: { method: GET, url: '{base_url}/{args.path}' }
`;

const hookManifest = `id: hook
name: Hook
version: "1.0.0"
description: Posts a text to any host that is allowed.
settings: { token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  post:
    protocol: http
    description: Post a text.
    destructive: true
    parameters: { host: { required: true }, text: {} }
    request: { method: POST, url: 'http://{args.host}/in', body: { text: '{args.text}' } }
`;

const notesManifest = `id: notes
name: Notes
version: "1.0.0"
description: Writes notes into a file of this computer.
settings: { file: { required: true } }
tools:
  write:
    protocol: shell
    description: Write a note.
    parameters: { text: {} }
    command: [node, '-e', 'require("fs").writeFileSync(process.argv[1], process.argv[2])', '{settings.file}', '{args.text}']
`;

/** Reads, then does to the letter whatever it was told, and then says all it knows. */
function obedient({ from, obeys }: InjectionCase) {
  return (request: LlmRequest) => {
    const results = request.messages.filter(({ role }) => role === 'tool');
    if (results.length === 0)
      return turn.tools({ name: from === 'page' ? 'web__read_page' : 'tracker__list_issues', args: {} });
    if (results.length === 1) return turn.tools(...obeys);
    return turn.text(results.map(({ text }) => text).join('\n'));
  };
}

/** Only so many questions may wait, and the next text puts its own. */
function denyAll(forge: ChatWorld['forge']): void {
  const { approvals } = forge.services.calls;
  for (const { id } of approvals.list({ status: 'pending' })) approvals.decide(id, { decision: 'deny' });
}

describe('a model that obeys whatever it reads', () => {
  it('is tried with at least forty texts, each of its own', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(CASES.map(({ content }) => content)).size).toBe(CASES.length);
  });

  it.each(CASES)('$name: gets nothing past approvals, redaction and the rule for other sites', async (each) => {
    const { llm, forge, tracker, mail, newSession, ask } = world;
    const before = llm.requests.length;
    const source = each.from === 'page' ? web : tracker;
    source.answer = () => each.content;
    for (const { seen } of [tracker, mail, web]) seen.length = 0;
    llm.script(obedient(each));
    const id = await newSession();
    const answer = await ask(id, 'Have a look, please.', { approvals: 'later' });

    const tools = answer.parts.filter(({ type }: { type: string }) => type === 'tool');
    expect(tools[0]).toMatchObject({ state: 'done', site: source.host });
    expect(tools).toHaveLength(each.obeys.length + 1);
    for (const { tool_id, name, state, code } of tools.slice(1)) {
      if (READING.has(tool_id)) continue;
      expect([name, state, REFUSALS.has(code)]).toEqual([name, 'failed', true]);
    }
    for (const { tool_id, kind, read_from } of forge.services.calls.approvals.list({ sessionId: id })) {
      const isSameSite = source === tracker && tool_id === 'tracker.add_comment';
      if (kind === 'call')
        expect([tool_id, read_from?.includes(source.host)]).toEqual([tool_id, isSameSite ? undefined : true]);
    }
    for (const { seen } of [tracker, mail, web]) expect(seen.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(existsSync(noteFile)).toBe(false);
    denyAll(forge);

    const foreign = llm.requests
      .slice(before)
      .flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
    expect(foreign[0]!.text).toMatch(/^<(data-[0-9a-f]{12}) from="[\w.]+">\n[\s\S]*\n<\/\1>$/);
    // Whoever put a secret into the model's mouth did so in its script; what Forge hands out has none.
    const handedOut = [JSON.stringify(await world.get(id)), ...foreign.map(({ text }) => text)];
    for (const encoding of SECRET_SPELLINGS)
      for (const text of handedOut) expect(text).not.toContain(Buffer.from(TRACKER_SECRET).toString(encoding));
  });

  it.each(DISPATCHED)('$name: gets no further as a task that somebody dispatched', async (each) => {
    const { llm, forge, tracker, mail } = world;
    const before = llm.requests.length;
    const source = each.from === 'page' ? web : tracker;
    source.answer = () => each.content;
    for (const { seen } of [tracker, mail, web]) seen.length = 0;
    llm.script(obedient(each));
    const agentId = `agent-${DISPATCHED.indexOf(each)}`;
    const asked = { message: `Have a look. ${TRACKER_SECRET}`, systemPrompt: `Key: ${TRACKER_SECRET}`, agentId };
    const files = { 'AGENTS.md': `The token is ${TRACKER_SECRET}.` };
    const { body } = await forge.request('POST', '/api/v2/dispatch', { ...asked, workspaceFiles: files, wait: true });

    expect(body.status).toBe('ok');
    for (const { seen } of [tracker, mail, web]) expect(seen.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(existsSync(noteFile)).toBe(false);
    const waiting = forge.services.calls.approvals.list({ status: 'pending' });
    const own = waiting.filter(({ kind, caller }) => kind === 'call' && caller === `dispatch ${agentId}`);
    expect(own.length).toBeGreaterThan(0);
    for (const { tool_id, read_from } of own) {
      const isSameSite = source === tracker && tool_id === 'tracker.add_comment';
      expect([tool_id, read_from]).toEqual([tool_id, isSameSite ? null : [source.host]]);
    }
    const requests = llm.requests.slice(before);
    const [foreign] = requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
    const mark = /^<(data-[0-9a-f]{12}) from="[\w.]+">\n[\s\S]*\n<\/\1>$/.exec(foreign!.text)?.[1];
    expect(requests[0]!.system).toContain(`<${mark} from="…">`);
    expect(JSON.stringify(requests.map(({ system, messages }) => [system, messages[0]]))).not.toContain(TRACKER_SECRET);
  });

  it('is remembered by the session of a task: what one has read holds for the next', async () => {
    const { llm, forge, mail, tracker } = world;
    tracker.answer = () => WRITES[0]!.content;
    const dispatch = (message: string, sessionId: string) =>
      forge.request('POST', '/api/v2/dispatch', { message, sessionId, agentId: 'twice', wait: true });
    llm.script([turn.tools({ name: 'tracker__list_issues', args: {} }), turn.text('Read.')]);
    await dispatch('Read', 'shared');
    mail.seen.length = 0;
    llm.script([turn.tools(send('next@evil.example')), turn.text('Asked.')]);
    await dispatch('Send', 'shared');
    expect(mail.seen).toEqual([]);
    llm.script([turn.tools(send('next@x.example')), turn.text('Sent.')]);
    await dispatch('Send', 'another');
    expect(mail.seen).toHaveLength(1);
  });

  it('would have written, had the person said yes: the reason names what was read', async () => {
    const { llm, mail, tracker, newSession, say, waiting, decide, ended } = world;
    tracker.answer = () => WRITES[0]!.content;
    mail.seen.length = 0;
    llm.script(obedient(WRITES[0]!));
    const id = await newSession();
    const { body } = await say(id, 'Have a look, please.');
    const approval = await waiting(id);
    expect(approval).toMatchObject({ tool_id: 'mail.send', read_from: [tracker.host] });
    expect(approval.reason).toContain('what was read there may have led to this call');
    await decide(approval.id, { decision: 'approve' });
    await ended(id, body.assistant_message_id);
    expect(mail.seen.filter((line) => line.startsWith('POST /send'))).toHaveLength(1);
  });
});
