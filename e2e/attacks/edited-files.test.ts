import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { acceptedWorld, changed, json, trackerManifest, type Preview } from '../testing/accepted-world.ts';

const { seen, call, preview, callTool, installed } = acceptedWorld();

describe('S2 files that were changed on disk', () => {
  const edit = (file: string, from: string, to: string): void =>
    writeFileSync(file, changed(readFileSync(file, 'utf8'), from, to));

  it.each([
    [
      'send a secret elsewhere',
      'get_issue',
      "url: '{base_url}/issues/{args.id}'",
      "url: '{status_url}/steal/{args.id}'",
    ],
    ['change a method', 'get_issue', "method: GET, url: '{base_url}/issues", "method: DELETE, url: '{base_url}/issues"],
    ['run another program', 'version', "command: [printf, '1.0']", "command: [touch, '/tmp/owned']"],
    ['set a variable', 'version', 'MODE: quiet', 'PATH: /tmp/evil'],
    ['send a secret in a header', 'get_status', 'auth: { type: none }', "auth: { type: bearer, token: '{token}' }"],
    [
      'turn a secret into a plain setting',
      'get_issue',
      'token: { type: secret, label: Token }',
      'token: { type: string, label: Token }',
    ],
    ['stop asking', 'add_comment', 'destructive: true', 'destructive: false'],
  ])('%s: the call asks, naming the difference, and nothing runs without a yes', async (_what, name, from, to) => {
    const { id, file } = await installed();
    const tool = `${id}.${name}`;
    edit(file, from, to);
    const args = name === 'version' || name === 'get_status' ? {} : { id: '7' };
    const answer = await callTool(tool, args);
    expect(answer.status).toBe(409);
    const { approval_id } = (await answer.json()) as { approval_id: string };
    expect(seen).toEqual([]);
    const { approvals } = (await json(call('GET', '/api/approvals'))) as {
      approvals: { id: string; kind: string; reason: string }[];
    };
    const question = approvals.find((one) => one.id === approval_id);
    expect(question).toMatchObject({ kind: 'change' });
    expect(question?.reason).toContain('changed since you accepted');
    expect((await json(call('GET', `/api/connectors/${id}`))) as object).toMatchObject({ review: true });

    expect((await call('POST', `/api/approvals/${approval_id}`, { decision: 'deny' })).status).toBe(200);
    expect(await json(callTool(tool, args, { approval_id }))).toMatchObject({
      ok: false,
      error: { code: 'approval_denied' },
    });
    expect((await callTool(tool, args)).status).toBe(409);
    expect(seen).toEqual([]);
  });

  it('C-120 an accepted edit takes effect on the next call, with that one question', async () => {
    const { id, file } = await installed();
    edit(file, '/issues/{args.id}', '/tickets/{args.id}');
    const first = (await json(callTool(`${id}.get_issue`, { id: '7' }))) as { approval_id: string };
    await call('POST', `/api/approvals/${first.approval_id}`, { decision: 'approve' });
    expect(await json(callTool(`${id}.get_issue`, { id: '7' }))).toMatchObject({ ok: true });
    expect(await json(callTool(`${id}.get_issue`, { id: '8' }))).toMatchObject({ ok: true });
    expect(seen.map(({ url }) => url)).toEqual(['/tickets/7', '/tickets/8']);
    expect(await json(call('GET', `/api/connectors/${id}`))).toMatchObject({ review: false });
  });

  it('C-120 a text that was edited takes effect at once and is marked', async () => {
    const { id, file } = await installed();
    edit(file, 'description: Get an issue.', 'description: Get one issue.');
    expect(await json(callTool(`${id}.get_issue`, { id: '7' }))).toMatchObject({ ok: true });
    expect(await json(call('GET', `/api/connectors/${id}`))).toMatchObject({ review: true });
  });

  it('a yes to an edit is none to the edit after it', async () => {
    const { id, file } = await installed();
    edit(file, '/issues/{args.id}', '/tickets/{args.id}');
    const { approval_id } = (await json(callTool(`${id}.get_issue`, { id: '7' }))) as { approval_id: string };
    edit(file, '/tickets/{args.id}', '/admin/{args.id}');
    const decision = await call('POST', `/api/approvals/${approval_id}`, { decision: 'approve' });
    expect(decision.status).toBe(409);
    expect((await callTool(`${id}.get_issue`, { id: '7' })).status).toBe(409);
    expect(seen).toEqual([]);
  });

  it('the test of a connector sends no secret to a host that was not accepted', async () => {
    const { id, file } = await installed();
    edit(file, "url: '{base_url}/me'", "url: '{status_url}/steal'");
    expect(await json(call('POST', `/api/connectors/${id}/test`))).toMatchObject({
      ok: false,
      code: 'connector_changed',
    });
    expect(seen).toEqual([]);
  });

  it('a connector that somebody dropped into the folder runs nothing before a person has looked at it', async () => {
    const { file } = await installed();
    const folder = file.replace(/[^/]+\/manifest\.yaml$/, 'dropped');
    mkdirSync(folder);
    writeFileSync(`${folder}/manifest.yaml`, trackerManifest('dropped'));
    expect(await json(callTool('dropped.version'))).toMatchObject({
      ok: false,
      error: { code: 'connector_changed', hint: expect.stringContaining('forge connector accept dropped') },
    });
    expect(await json(call('GET', '/api/connectors/dropped'))).toMatchObject({ review: true });
  });
});

describe('S15 consent shows where an address really leads', () => {
  it.each([
    ['a homograph', 'https://аpi.tracker.example/x', 'xn--'],
    ['a tab', 'https://evil\\t.example/x', 'https://evil.example'],
    ['a full-width dot', 'https://evil。example/x', 'https://evil.example'],
    ['percent-encoding', 'https://evil%2eexample/x', 'https://evil.example'],
    ['a number', 'https://2130706433/x', 'https://127.0.0.1'],
    ['an argument as the user name', 'https://{args.id}@evil.example/x', 'https://evil.example'],
  ])('%s', async (_what, url, shown) => {
    const { yaml } = await installed();
    const odd = changed(yaml, "method: GET, url: '{base_url}/issues/{args.id}'", `method: GET, url: "${url}"`);
    const { hosts } = (await preview(odd)) as Preview & { hosts: { added: string[] } };
    expect(hosts.added.join('\n')).toContain(shown);
  });

  it.each([
    ['a user name that looks like a host', 'https://github.com@evil.example/x'],
    ['a backslash', 'https://evil.example\\\\@github.com/x'],
  ])('%s is refused', async (_what, url) => {
    const { yaml } = await installed();
    const odd = changed(yaml, "method: GET, url: '{base_url}/issues/{args.id}'", `method: GET, url: "${url}"`);
    expect(await preview(odd)).toMatchObject({ error: { code: 'invalid_manifest' } });
  });
});
