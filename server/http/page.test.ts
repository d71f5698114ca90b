import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../testing/forge.ts';
import { servePage } from './page.ts';

async function start(): Promise<string> {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'web/assets'), { recursive: true });
  writeFileSync(path.join(folder, 'secret.js'), 'secret');
  writeFileSync(path.join(folder, 'web/index.html'), '<!doctype html>');
  writeFileSync(path.join(folder, 'web/assets/main-1.js'), 'main');
  writeFileSync(path.join(folder, 'web/assets/app-1.css'), 'a{}');
  writeFileSync(path.join(folder, 'web/assets/notes.txt'), 'not a part of a page');
  const server = new Koa().use(servePage(path.join(folder, 'web'))).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of a TCP server that listens
}

describe('the files of the page', () => {
  it('every address of a view is the page itself, asked for again each time', async () => {
    const url = await start();
    const root = await fetch(`${url}/`, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/settings/connectors']);
    for (const place of [
      '/settings/connectors',
      '/settings/connectors/jira/edit',
      '/activity',
      '/watches',
      '/chat/x',
    ]) {
      const answer = await fetch(url + place);
      expect(await answer.text()).toBe('<!doctype html>');
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const known = { 'If-None-Match': answer.headers.get('etag') ?? '' };
      expect((await fetch(url + place, { headers: known })).status).toBe(304);
    }
  });

  it('built files keep for good, under their right type', async () => {
    const url = await start();
    for (const [name, type] of [
      ['main-1.js', 'text/javascript; charset=utf-8'],
      ['app-1.css', 'text/css; charset=utf-8'],
    ]) {
      const { status, headers } = await fetch(`${url}/assets/${name ?? ''}`);
      expect([status, headers.get('content-type')]).toEqual([200, type]);
      expect(headers.get('cache-control')).toContain('immutable');
    }
  });

  it.each(['/assets/none.js', '/assets/notes.txt', '/assets/..%2f..%2fsecret.js', '/secret.js', '/settingsx'])(
    'there is nothing at %s',
    async (place) => {
      expect((await fetch((await start()) + place)).status).toBe(404);
    },
  );

  it('nobody posts to a page', async () => {
    expect((await fetch(`${await start()}/settings/connectors`, { method: 'POST' })).status).toBe(404);
  });
});
