import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { reportText } from '../../shared/report-text.ts';
import { connectClient, textOf } from '../mcp/testing/client.ts';
import { pairExtension } from '../testing/paired-extension.ts';
import { upstream, type Seen } from '../testing/upstream.ts';
import type { Report } from './reports.ts';
import type { Reporter } from './speaker.ts';
import { lightWorld } from './testing/light-world.ts';
import { watchWorld, type WatchWorld } from './testing/watch-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_done: { message: 'Build {poll.build}.' } }`;
const SECRET = 'canary-webhook-secret-1';

/** A receiver that says no a number of times before it takes something. */
async function receiver(refusals = 0) {
  let left = refusals;
  return upstream((_seen, response) => {
    left -= 1;
    response.writeHead(left >= 0 ? 503 : 204).end();
  });
}

async function reporting(url: string, more: object = {}) {
  const world = await watchWorld(BLOCK);
  const values = { webhook_url: url, webhook_secret: SECRET, ...more };
  expect((await world.forge.request('PUT', '/api/watches/channels', { values })).status).toBe(200);
  world.service.answer = () => ({ done: true, build: 7 });
  const session_id = world.newSession();
  const { watch_id } = await world.start({}, { session_id });
  return Object.assign(world, { watch_id, session_id });
}

function isSigned({ headers, body }: Seen, secret = SECRET): boolean {
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', secret).update(content).digest('base64')}`;
}

describe('the webhook', () => {
  it('is posted once, signed, and told to nobody in secret', async () => {
    const hook = await receiver();
    const { forge, pass, watch, watch_id, session_id } = await reporting(hook.url);
    await pass(3600);
    expect(hook.seen).toHaveLength(1);
    const [seen] = hook.seen as [Seen];
    expect(isSigned(seen)).toBe(true);
    expect(isSigned(seen, 'another secret')).toBe(false);
    expect(JSON.parse(seen.body)).toMatchObject({
      type: 'watch.done',
      data: { watch_id, tool_id: 'jobs.start', session_id, text: 'Build 7.' },
    });
    const { reports } = await watch(watch_id);
    expect(seen.headers['webhook-id']).toBe(reports[0].id);
    expect(reports[0].deliveries).toContainEqual({ channel: 'webhook', state: 'sent', attempts: 1, problem: null });
    const { text, body } = await forge.request('GET', '/api/watches/channels');
    expect(body.values).toMatchObject({ webhook_url: hook.url, webhook_secret: { $secret: true } });
    expect(text).not.toContain(SECRET);
  });

  it('is tried again with the same id, also after a restart', async () => {
    const hook = await receiver(2);
    const world = await reporting(hook.url);
    await world.pass(60);
    expect(hook.seen).toHaveLength(1);
    expect((await world.watch(world.watch_id)).reports[0].deliveries).toContainEqual({
      ...{ channel: 'webhook', state: 'waiting', attempts: 1, problem: 'the other side answered with 503' },
    });
    await world.restart();
    await world.pass(3600);
    expect(hook.seen).toHaveLength(3);
    expect(new Set(hook.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await world.watch(world.watch_id)).reports[0].deliveries).toContainEqual({
      ...{ channel: 'webhook', state: 'sent', attempts: 3, problem: null },
    });
  });

  it('is given up after a day', async () => {
    const hook = await receiver(100);
    const { pass, watch, watch_id } = await reporting(hook.url);
    await pass(3 * 86_400);
    expect(hook.seen).toHaveLength(8);
    expect((await watch(watch_id)).reports[0].deliveries).toContainEqual(
      expect.objectContaining({ channel: 'webhook', state: 'failed', attempts: 8 }),
    );
  });

  it.each([
    ['a metadata service', 'http://169.254.169.254/latest', 'metadata service'],
    ['something that is no address', 'ftp://files.example/x', 'cannot call ftp:'],
  ])('goes by the rules for every request of Forge’s: %s', async (_title, url, problem) => {
    const { pass, watch, watch_id } = await reporting(url);
    await pass(60);
    expect((await watch(watch_id)).reports[0].deliveries).toContainEqual(
      expect.objectContaining({ channel: 'webhook', state: 'waiting', problem: expect.stringContaining(problem) }),
    );
  });

  it('is not posted to Forge itself, nor without a secret', async () => {
    const world = await watchWorld(BLOCK);
    world.service.answer = () => ({ done: true });
    const save = (values: object) => world.forge.request('PUT', '/api/watches/channels', { values });
    await save({ webhook_url: `${world.forge.url}/api/auth/login`, webhook_secret: SECRET });
    const first = await world.start();
    await save({ webhook_secret: null });
    const second = await world.start();
    await world.pass(60);
    expect(
      (await world.watch(first.watch_id)).reports[0].deliveries.map(({ channel }: { channel: string }) => channel),
    ).toEqual(['desktop']);
    await save({ webhook_secret: SECRET });
    const third = await world.start();
    await world.pass(60);
    expect((await world.watch(third.watch_id)).reports[0].deliveries).toContainEqual(
      expect.objectContaining({ channel: 'webhook', problem: expect.stringContaining('Forge’s own') }),
    );
    expect(second.watch_id).toMatch(/^wch_/);
  });
});

describe('the browser', () => {
  it('shows a notice, when it is there or soon after', async () => {
    const world = await reporting('');
    await world.pass(60);
    const { extension } = await pairExtension(world.forge);
    await world.pass(30);
    await extension.settled();
    const notices = extension.frames
      .filter((frame) => frame.includes('"notify"'))
      .map((frame) => JSON.parse(frame).params);
    const url = `${world.forge.url}/chat/${world.session_id}`;
    expect(notices).toEqual([{ title: 'Done: jobs.start', message: 'Build 7.', url }]);
    expect((await world.watch(world.watch_id)).reports[0].deliveries).toEqual([
      { channel: 'desktop', state: 'sent', attempts: 2, problem: null },
    ]);
  });

  it('can be told not to', async () => {
    const { pass, watch, watch_id } = await reporting('', { desktop: false });
    await pass(60);
    expect((await watch(watch_id)).reports).toMatchObject([{ deliveries: [] }]);
  });
});

describe('C-123 without a conversation', () => {
  type Start = (world: WatchWorld) => Promise<string>;
  const starts: [string, Start][] = [
    ['POST /api/tools/:id/call', async ({ start }) => JSON.stringify(await start())],
    [
      'POST /api/connector-tool',
      async ({ forge }) => {
        const body = { plugin_id: 'jobs', tool: 'start', input: {} };
        return (await forge.request('POST', '/api/connector-tool', body)).body.content;
      },
    ],
    [
      'tools/call over MCP',
      async ({ forge }) => {
        const client = await connectClient(forge, { era: 'legacy' });
        return textOf(await client.callTool({ name: 'jobs__start', arguments: {} }));
      },
    ],
  ];

  it.each(starts)('what %s has started is told where everybody looks', async (_title, begin) => {
    const hook = await receiver();
    const world = await watchWorld(BLOCK);
    const { extension } = await pairExtension(world.forge);
    const values = { webhook_url: hook.url, webhook_secret: SECRET };
    await world.forge.request('PUT', '/api/watches/channels', { values });
    world.service.answer = () => ({ done: true, build: 7 });
    const watch_id = /wch_[0-9a-f]{16}/.exec(await begin(world))?.[0];
    const events: unknown[] = [];
    world.forge.services.events.listen(({ event }) => event.type === 'report.added' && events.push(event));
    await world.pass(3600);
    await extension.settled();
    const said = { watch_id, session_id: null, text: 'Build 7.' };
    expect(await world.watch(String(watch_id))).toMatchObject({ state: 'done', session_id: null, reports: [said] });
    expect((await world.forge.request('GET', '/api/watches/reports')).body.reports).toMatchObject([said]);
    expect(events).toMatchObject([said]);
    expect(hook.seen.map(({ body }) => JSON.parse(body).data)).toMatchObject([said]);
    const notices = extension.frames.filter((frame) => frame.includes('"notify"'));
    expect(notices.map((frame) => JSON.parse(frame).params.url)).toEqual([`${world.forge.url}/watches/${watch_id}`]);
  });

  it('a conversation that is not there is refused before anything is started', async () => {
    const { forge, service, start } = await watchWorld(BLOCK);
    const { error } = await start({}, { session_id: 'sess_000000000000' });
    expect(error).toMatchObject({ code: 'not_found', message: 'there is no conversation "sess_000000000000"' });
    expect(service.seen).toEqual([]);
    const body = { plugin_id: 'jobs', tool: 'start', input: {}, session_id: 'sess_000000000000' };
    expect((await forge.request('POST', '/api/connector-tool', body)).status).toBe(400);
  });
});

describe('a model’s own words', () => {
  const speaking = (words: Reporter['words'], canSpeak = true): Reporter => ({ canSpeak: () => canSpeak, words });
  const textsOf = async (reporter: Reporter, sessionId: string | null = 'sess_a', waitSec = 60) => {
    const world = await lightWorld(BLOCK, { reporter, call: () => ({ done: true, build: 7 }) });
    const id = world.begin({ id: 'j1' }, {}, { sessionId });
    await world.pass(60);
    await world.pass(waitSec);
    return world
      .watches()
      .get(id)
      .reports.map((report) => `${report.state}: ${reportText(report)}`);
  };

  it.each([
    [
      'C-123 stand beside the report where a model can speak',
      speaking(() => Promise.resolve('The lamp is on build 7.')),
      'sess_a',
      'ready: Build 7.\n\nThe lamp is on build 7.',
    ],
    ['are not waited for where none can', speaking(() => Promise.resolve('x'), false), 'sess_a', 'ready: Build 7.'],
    ['are not needed without a conversation', speaking(() => Promise.resolve('x')), null, 'ready: Build 7.'],
    ['may fail', speaking(() => Promise.reject(new Error('no model'))), 'sess_a', 'ready: Build 7.'],
    ['may be none', speaking(() => Promise.resolve(null)), 'sess_a', 'ready: Build 7.'],
    ['may be the report’s own', speaking(() => Promise.resolve('Build 7.')), 'sess_a', 'ready: Build 7.'],
    ['may be empty', speaking(() => Promise.resolve('  ')), 'sess_a', 'ready: Build 7.'],
  ])('%s', async (_title, reporter, sessionId, wanted) => {
    expect(await textsOf(reporter, sessionId)).toEqual([wanted]);
  });

  it('are not waited for longer than two minutes', async () => {
    const asked: Report[] = [];
    const reporter = speaking((report) => {
      asked.push(report);
      return new Promise(() => undefined);
    });
    const world = await lightWorld(BLOCK, { reporter, call: () => ({ done: true, build: 7 }) });
    const id = world.begin({ id: 'j1' }, {}, { sessionId: 'sess_a' });
    world.clock.advance(60_000);
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toMatchObject([{ kind: 'done', text: 'Build 7.', state: 'pending' }]);
    expect(world.watches().reports('sess_a')).toEqual([]);
    world.clock.advance(120_000);
    await world.watches().settled();
    expect(world.watches().reports('sess_a')).toMatchObject([{ text: 'Build 7.', watchId: id }]);
  });

  it('are asked for again after a crash, and the report goes out once', async () => {
    let isDead = true;
    let asked = 0;
    const reporter = speaking(() => {
      asked += 1;
      return isDead ? new Promise(() => undefined) : Promise.resolve('In my words.');
    });
    const world = await lightWorld(BLOCK, { reporter, call: () => ({ done: true, build: 7 }) });
    world.begin({ id: 'j1' }, {}, { sessionId: 'sess_a' });
    world.clock.advance(60_000);
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    isDead = false;
    await world.restart();
    await world.pass(600);
    expect(world.watches().reports('sess_a')).toMatchObject([{ text: 'Build 7.', words: 'In my words.' }]);
    expect(asked).toBe(2);
  });
});
