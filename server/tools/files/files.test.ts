import { hash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, testForge } from '../../testing/forge.ts';
import { upstream } from '../../testing/upstream.ts';

const MANIFEST = `id: up
name: Up
version: "1.0.0"
description: Takes files.
settings: { base_url: { type: string }, token: { type: secret } }
tools:
  form:
    protocol: http
    description: Sends a form.
    parameters: { file: { type: file, max_bytes: 1000 }, note: {} }
    request: { method: POST, url: '{base_url}/form', body_multipart: { 'na"me': '{args.file}', note: 'text {args.note}', t: '{settings.token}' } }
  raw:
    protocol: http
    description: Sends a file alone.
    parameters: { file: { type: file, required: true } }
    request: { method: PUT, url: '{base_url}/raw', body: '{args.file}' }
  many: { protocol: http, description: Many., request: { url: '{base_url}/many' } }
`;

async function start() {
  const home = tempFolder();
  const allowed = path.join(home, 'allowed');
  mkdirSync(allowed);
  const site = await upstream((seen, response) => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ index, text: 'long enough to be cut' }));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(seen.url === '/many' ? many : { ok: 1 }));
  });
  const forge = await testForge({ FORGE_SEND_FOLDERS: allowed });
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.request('PUT', '/api/connectors/up/settings', {
    values: { base_url: site.url, token: 'tok-8d7f6s5a4q3w' },
  });
  // So that whoever is asked is asked because of a file.
  const modes = { 'up.form': 'on', 'up.raw': 'on' };
  expect((await forge.request('PATCH', '/api/connectors/up/modes', { modes })).body).toMatchObject({
    tools: expect.anything(),
  });
  const write = (name: string, text: string, folder = home): string => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const call = (tool: string, args: unknown, more: object = {}) =>
    forge.request('POST', `/api/tools/up.${tool}/call`, { args, ...more });
  return { home, allowed, site, forge, write, call };
}

describe('files that leave the computer', () => {
  it('sends a form with a name, a type and the bytes of a file in an allowed folder', async () => {
    const { allowed, site, write, forge, call } = await start();
    const file = write('rep"ort\r\nX: y ü.csv', 'a,b\r\n--x--', allowed);
    const answer = await call('form', { file, note: 'hi' });
    expect(answer.body).toMatchObject({ ok: true });
    const [seen] = site.seen;
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(seen?.headers['content-type'] ?? '')?.[1] ?? '?';
    const part = (head: string, body: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
    expect(seen?.body).toBe(
      [
        part('name="na%22me"; filename="rep_ort__X_ y ü.csv"\r\nContent-Type: text/csv', 'a,b\r\n--x--'),
        part('name="note"', 'text hi'),
        part('name="t"', 'tok-8d7f6s5a4q3w'),
        `--${boundary}--\r\n`,
      ].join(''),
    );
    const log = await forge.request('GET', `/api/calls/${String(answer.body.call_id)}`);
    expect(log.text).toContain(hash('sha256', 'a,b\r\n--x--', 'hex'));
    expect(log.text).not.toContain('a,b');
    expect(log.text).not.toContain('tok-8d7f6s5a4q3w');
  });

  it('puts any other file to a person, with its path, size and host, and asks again when it has changed', async () => {
    const { write, call, site, forge } = await start();
    const file = write('plan.txt', 'first');
    const asked = await call('raw', { file });
    expect(asked.status).toBe(409);
    const approval = await forge.request('GET', '/api/approvals');
    expect(approval.text).toContain(file);
    expect(approval.text).toContain('5 bytes');
    expect(approval.text).toContain(new URL(site.url).host);
    const approval_id = String(asked.body.approval_id);
    const standing = { max_uses: 10 };
    expect(
      (await forge.request('POST', `/api/approvals/${approval_id}`, { decision: 'approve', standing })).status,
    ).toBe(200);
    writeFileSync(file, 'other');
    expect((await call('raw', { file }, { approval_id })).body).toMatchObject({ error: { code: 'approval_denied' } });
    writeFileSync(file, 'first');
    expect((await call('raw', { file }, { approval_id })).body).toMatchObject({ ok: true });
    expect(site.seen.map(({ body, headers }) => [body, headers['content-type']])).toEqual([['first', 'text/plain']]);
    // A standing yes to the tool is none to another file.
    expect((await call('raw', { file: write('other.txt', 'x') })).status).toBe(409);
    expect(site.seen).toHaveLength(1);
  });

  it('asks about where a link leads, not about where it stands', async () => {
    const { home, allowed, write, call, forge } = await start();
    const file = write('outside.txt', 'secret plan');
    symlinkSync(file, path.join(allowed, 'link.txt'));
    expect((await call('raw', { file: path.join(allowed, 'link.txt') })).status).toBe(409);
    expect((await forge.request('GET', '/api/approvals')).text).toContain(`from ${path.join(home, 'outside.txt')}`);
    expect((await call('raw', { file: `${allowed}/../outside.txt` })).status).toBe(409);
  });

  it('keeps a path from adding lines to the question', async () => {
    const { write, call, forge } = await start();
    await call('raw', { file: write('a\nIt is safe to allow this..txt', 'x') });
    const { body } = await forge.request('GET', '/api/approvals');
    expect(body.approvals[0].reason).toContain('a?It is safe to allow this..txt');
  });

  it('never sends keys, hidden files and its own data, whatever they are called', async () => {
    const { allowed, home, write, call, site, forge } = await start();
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n';
    const hidden = write('.ssh/config', 'Host x');
    symlinkSync(hidden, path.join(allowed, 'config'));
    const dataFile = path.join(forge.dataDir.root, 'forge.db');
    symlinkSync(forge.dataDir.root, path.join(allowed, 'data'));
    const refused = [
      hidden,
      path.join(allowed, 'config'),
      write('id_rsa', 'x'),
      write('server.pem', 'x', allowed),
      write('notes.txt', key, allowed),
      write('.env', 'A=1', allowed),
      dataFile,
      path.join(allowed, 'data', 'forge.db'),
      '/proc/self/environ',
    ];
    for (const file of refused)
      expect((await call('raw', { file })).body, file).toMatchObject({ error: { code: 'file_refused' } });
    const wrong = [
      'plan.txt',
      '//host/share/x',
      home,
      `${home}/missing.txt`,
      'file:///etc/hosts',
      'res_0',
      'forge://files/00',
      '/dev/zero',
      `${home}/a\0b`,
    ];
    for (const file of wrong) expect((await call('raw', { file })).body, file).toMatchObject({ ok: false });
    expect(site.seen).toEqual([]);
    expect((await forge.request('GET', '/api/approvals')).body.approvals).toEqual([]);
  });

  it('takes no more than the parameter allows', async () => {
    const { allowed, write, call } = await start();
    const { body } = await call('form', { file: write('big.txt', 'x'.repeat(1001), allowed) });
    expect(body.error.message).toContain('has 1001 bytes, and the tool takes 1000');
  });

  it('shows name and size in a dry run, and reads nothing', async () => {
    const { write, call, site } = await start();
    const file = write('plan.txt', 'never shown');
    const dry = await call('form', { file, note: 'n' }, { dry_run: true });
    expect(dry.text).toContain(`plan.txt (text/plain, 11 bytes) from ${file}`);
    expect(dry.text).toContain('note: text n');
    expect(dry.text).not.toContain('never shown');
    expect(dry.text).not.toContain(hash('sha256', 'never shown', 'hex'));
    expect(site.seen).toEqual([]);
  });

  it('sends kept results and files of earlier calls', async () => {
    const { call, forge, site } = await start();
    const { handle } = (await call('many', {})).body;
    expect((await call('raw', { file: handle })).body).toMatchObject({ ok: true });
    expect(JSON.parse(site.seen.at(-1)?.body ?? '')).toHaveLength(3000);
    const kept = forge.services.calls.files.save({
      filename: 'a.pdf',
      bytes: Buffer.from('%PDF-1'),
      contentType: 'application/pdf',
    });
    const file = kept.file_url.replace('/api/', 'forge://');
    expect((await call('raw', { file })).body).toMatchObject({ ok: true });
    expect(site.seen.at(-1)).toMatchObject({ body: '%PDF-1', headers: { 'content-type': 'application/pdf' } });
  });

  it('leaves the field out when there is no file, and tells models what a file is', async () => {
    const { forge, site, call } = await start();
    expect((await call('form', { note: 'x' })).body).toMatchObject({ ok: true });
    expect(site.seen[0]?.body).not.toContain('filename');
    expect((await forge.request('GET', '/api/tools')).text).toContain('forge://files/<id>');
    expect((await forge.request('GET', '/api/connectors/up')).text).toContain('sends a file of this computer (“file”)');
  });
});
