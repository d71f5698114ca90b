import { describe, expect, it } from 'vitest';
import { toolHash } from '../connectors/accepted-definitions.ts';
import { notificationFrame, type Run } from '../../shared/bridge.ts';
import { call } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';

const MANIFEST = `id: web
name: Web
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: '{base_url}/*'
tools:
  list: { description: Lists., parameters: { note: {} }, page: { url: '{base_url}/list' }, script: return 1 }
  wipe: { description: Deletes a row., destructive: true, parameters: { id: { required: true } }, script: return 1 }
`;

async function world(env: Record<string, string> = {}) {
  const forge = await testForge(env);
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.request('PUT', '/api/connectors/web/settings', { values: { base_url: 'https://web.test/' } });
  const { extension, id } = await pairExtension(forge);
  return { forge, extension, browserId: id };
}

describe('C-37 K-10 a destructive browser tool', () => {
  it('asks in the browser, with the reason, and not over the API', async () => {
    const { forge, extension } = await world();
    const answer = call(forge, 'web.wipe', { id: '7' });
    const asked = await extension.nextAsked();
    expect(asked.params.approval).toEqual({
      reason: 'Web: wipe changes something.',
      timeout_ms: 120_000,
      look: 'page',
    });
    expect(JSON.parse(asked.params.args)).toEqual({ id: '7' });
    asked.returns('gone');
    expect((await answer).body).toMatchObject({ ok: true, result: 'gone' });
    expect((await forge.request('GET', '/api/approvals?all=true')).body.approvals).toEqual([]);
  });

  it('K-64 S9 asks the same way when it is only set to Ask, runs by itself, and never at Never', async () => {
    const { forge, extension } = await world();
    const set = (mode: string) => forge.request('PATCH', '/api/connectors/web/modes', { modes: { 'web.list': mode } });
    const runs: (Run['approval'] | boolean)[] = [];
    extension.onRequest = (asked) => {
      const { approval, may_join } = asked.params as Run;
      runs.push(approval, may_join === true);
      asked.returns('listed');
    };
    await call(forge, 'web.list', {});
    await set('ask');
    await call(forge, 'web.list', {});
    await set('never');
    expect((await call(forge, 'web.list', {})).body).toMatchObject({ ok: false, error: { code: 'tool_off' } });
    expect(runs).toEqual([
      null,
      true,
      { reason: 'Web: list is set to Ask.', timeout_ms: 120_000, look: 'page' },
      false,
    ]);
    expect((await forge.request('GET', '/api/approvals?all=true')).body.approvals).toEqual([]);
  });

  it('K-10 can be answered over the API while the browser asks; the stream of a call says so', async () => {
    const { forge, extension } = await world();
    const stream = fetch(`${forge.url}/api/tools/web.wipe/call`, {
      method: 'POST',
      headers: {
        'X-Forge-Token': forge.token,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
      },
      body: JSON.stringify({ args: { id: '7' } }),
    });
    const asked = await extension.nextAsked();
    const { call_id } = asked.params;
    // Nothing is asked while the browser looks at the login.
    expect((await forge.request('GET', '/api/approvals')).body.approvals).toEqual([]);
    extension.asking({ call_id, state: 'asked' });
    await extension.settled();
    const [{ id, reason, args }] = (await forge.request('GET', '/api/approvals')).body.approvals;
    expect([reason.split('\n')[0], args]).toEqual(['Deletes a row on web.test', { id: '7' }]);
    await forge.request('POST', `/api/approvals/${id}`, { decision: 'approve' });
    expect(await extension.nextDecided()).toEqual({ call_id, approved: true });
    asked.returns('gone');
    const text = await (await stream).text();
    expect(text).toContain(`event: waiting\ndata: {"approval_id":"${id}","message":"Web: wipe changes something."}`);
    expect(text).toContain('"result":"gone"');
  });

  it('K-10 a client that hears nothing is told that the call waits, and its question stays; with a yes the call runs', async () => {
    const { forge, extension } = await world({ FORGE_HOLD_SECONDS: '0' });
    extension.onRequest = (asked) => {
      const { call_id, approval } = asked.params as Run;
      if (approval === null) asked.returns('gone');
      else extension.asking({ call_id, state: 'asked' });
    };
    const waiting = await call(forge, 'web.wipe', { id: '7' });
    expect(waiting).toMatchObject({ status: 409, body: { error: { code: 'approval_required' } } });
    await extension.nextCancelled();
    const { approval_id } = waiting.body;
    // Whoever makes the call again asks nobody twice, whatever kind of client it is.
    const older = { plugin_id: 'web', tool: 'wipe', input: { id: '7' } };
    const again = (await forge.request('POST', '/api/connector-tool', older)).body;
    expect(again).toEqual({ content: expect.stringContaining(`(approval ${approval_id})`), is_error: true });
    const { approvals } = (await forge.request('GET', '/api/approvals')).body;
    expect(approvals).toMatchObject([{ id: approval_id, tool_id: 'web.wipe' }]);
    await forge.request('POST', `/api/approvals/${approval_id}`, { decision: 'approve' });
    expect((await call(forge, 'web.wipe', { id: '7' })).body).toMatchObject({ ok: true, result: 'gone' });
  });

  it('K-10 a caller that goes away takes its question along', async () => {
    const { forge, extension } = await world();
    const stop = new AbortController();
    const gone = fetch(`${forge.url}/api/tools/web.wipe/call`, {
      ...{ method: 'POST', signal: stop.signal, body: JSON.stringify({ args: { id: '7' } }) },
      headers: { 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' },
    }).catch(() => 'gone');
    const asked = await extension.nextAsked();
    extension.asking({ call_id: asked.params.call_id, state: 'asked' });
    await extension.settled();
    stop.abort();
    expect([await gone, await extension.nextCancelled()]).toEqual(['gone', asked.params.call_id]);
    expect((await forge.request('GET', '/api/approvals?all=true')).body.approvals).toMatchObject([
      { status: 'expired' },
    ]);
  });

  it.each(['approval_denied', 'approval_expired'])('%s is an answer', async (code) => {
    const { forge, extension } = await world();
    extension.onRequest = (asked) => asked.fails({ code, message: 'a person said no' });
    const { status, body } = await call(forge, 'web.wipe', { id: '7' });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ ok: false, error: expect.objectContaining({ code, message: 'a person said no' }) }),
    ]);
  });

  it('C-37 what the person allows for longer holds for that tool, as often and as long as they said', async () => {
    const { forge, extension } = await world();
    const answer = call(forge, 'web.wipe', { id: '7' });
    const first = await extension.nextAsked();
    const { call_id } = first.params;
    extension.sendRaw(notificationFrame('allowed', { call_id, max_uses: 1, for_ms: 60_000 }));
    // A second word about the same call is one too many.
    extension.sendRaw(notificationFrame('allowed', { call_id, max_uses: 1000, for_ms: 60_000 }));
    await extension.settled();
    first.returns('gone');
    await answer;
    const { standing } = (await forge.request('GET', '/api/approvals/standing')).body;
    expect(standing).toMatchObject([{ tool_id: 'web.wipe', connector_id: 'web', conditions: {}, remaining: 1 }]);
    const left = Date.parse(standing[0].until) - Date.now();
    expect([left > 0, left <= 60_000]).toEqual([true, true]);
    const approvals: unknown[] = [];
    extension.onRequest = (asked) => {
      approvals.push((asked.params as Run).approval?.reason ?? null);
      asked.returns('gone');
    };
    for (const id of ['8', '9']) await call(forge, 'web.wipe', { id });
    expect(approvals).toEqual([null, expect.stringContaining('changes something')]);
  });

  it('nothing is allowed for longer by a yes to a call that content of another site may have led to', async () => {
    const { forge, extension } = await world();
    const answer = forge.services.calls.call({
      ...{ toolId: 'web.wipe', args: { id: '7' }, caller: { kind: 'chat', name: 'chat' } },
      otherSites: () => ['evil.example'],
    });
    const asked = await extension.nextAsked();
    const { call_id, approval } = asked.params;
    expect(approval).toMatchObject({ once: true, reason: expect.stringContaining('has read from evil.example') });
    extension.sendRaw(notificationFrame('allowed', { call_id, max_uses: 5, for_ms: 60_000 }));
    await extension.settled();
    asked.returns('gone');
    expect(await answer).toMatchObject({ kind: 'done' });
    expect((await forge.request('GET', '/api/approvals/standing')).body.standing).toEqual([]);
  });

  it.each([
    ['a call that is over', 'web.wipe', true],
    ['a tool that does not ask', 'web.list', false],
  ])('C-37 nothing is allowed by a word about %s', async (_title, tool, isOver) => {
    const { forge, extension } = await world();
    const answer = call(forge, tool, tool === 'web.wipe' ? { id: '7' } : { note: 'x' });
    const asked = await extension.nextAsked();
    const { call_id } = asked.params;
    if (isOver) {
      asked.returns('gone');
      await answer;
    }
    extension.sendRaw(notificationFrame('allowed', { call_id, max_uses: 5, for_ms: 1000 }));
    await extension.settled();
    expect((await forge.request('GET', '/api/approvals/standing')).body.standing).toEqual([]);
    expect(forge.logLines.join('')).toContain('nobody was asked about that call');
    if (!isOver) asked.returns([]);
    await answer;
  });

  it('C-37 a person can allow it beforehand, within limits', async () => {
    const { forge, extension } = await world();
    const allow = (limits: object) =>
      forge.request('POST', '/api/approvals/standing', { tool_id: 'web.wipe', ...limits });
    const made = await allow({ max_uses: 1, conditions: { id: '7' } });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ remaining: 1, active: true })]);
    const approvals: unknown[] = [];
    extension.onRequest = (asked) => {
      approvals.push((asked.params as Run).approval === null ? null : 'asked');
      asked.returns('gone');
    };
    for (const id of ['6', '7', '7']) await call(forge, 'web.wipe', { id });
    expect(approvals).toEqual(['asked', null, 'asked']);
    for (const [limits, code] of [
      [{}, 'invalid_request'],
      [{ conditions: { id: '7' } }, 'invalid_request'],
      [{ max_uses: 0 }, 'invalid_request'],
      [{ until: '2001-01-01T00:00:00Z' }, 'invalid_request'],
      [{ tool_id: 'web.list', max_uses: 1 }, 'invalid_request'],
      [{ tool_id: 'web.nothing', max_uses: 1 }, 'tool_not_found'],
    ] as const)
      expect((await allow(limits)).body.error.code).toBe(code);
  });

  it('asks nobody when a standing approval, or one for this call, covers it', async () => {
    const { forge, extension } = await world();
    const { approvals } = forge.services.calls;
    const args = { id: '7' };
    const verdict = approvals.check({
      toolId: 'web.wipe',
      connectorId: 'web',
      definitionSha256: toolHash(forge.services.catalog.tool('web.wipe')!),
      args,
      redactedArgs: args,
      caller: 'api',
      sessionId: null,
      readFrom: null,
      reason: '',
    });
    const approval_id = verdict.allowed ? '' : verdict.approval.id;
    const decision = { decision: 'approve', standing: { max_uses: 1 } };
    await forge.request('POST', `/api/approvals/${approval_id}`, decision);
    const seen: unknown[] = [];
    extension.onRequest = (asked) => {
      seen.push((asked.params as { approval: unknown }).approval === null ? 'no question' : 'asked');
      asked.returns(true);
    };
    await call(forge, 'web.wipe', args, { approval_id });
    await call(forge, 'web.wipe', { id: '8' });
    await call(forge, 'web.wipe', { id: '9' });
    expect(seen).toEqual(['no question', 'no question', 'asked']);
  });

  it('asks nobody anything while no browser could run it', async () => {
    const { forge, browserId } = await world();
    await forge.request('POST', `/api/browsers/${browserId}/revoke`);
    const { status, body } = await call(forge, 'web.wipe', { id: '7' });
    expect([status, body.error.code]).toEqual([200, 'extension_missing']);
    expect((await forge.request('GET', '/api/approvals')).body.approvals).toEqual([]);
  });
});
