import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { MIGRATIONS } from '../store/migrations.ts';
import { tempFolder, testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';
import { signInPage } from '../testing/signed-in-page.ts';
import { createSessions } from './sessions.ts';

const PLACE = '/api/chat/sessions';

it('K-15 a conversation knows where it was begun: the page, the extension, or a program', async () => {
  const forge = await testForge();
  const { extension, id } = await pairExtension(forge);
  await forge.request('POST', `/api/browsers/${id}/manage`, { allowed: true });
  const asJson = { 'Content-Type': 'application/json' };
  const page = await signInPage(forge);
  const begin = (headers: Record<string, string>) =>
    fetch(forge.url + PLACE, { method: 'POST', headers: { ...asJson, ...headers }, body: '{"title":"x"}' });
  const origin = async (headers: Record<string, string>) => {
    const response = await begin(headers);
    expect(response.status).toBe(201);
    return ((await response.json()) as { origin: string }).origin;
  };
  expect(await origin(page.headers)).toBe('web');
  expect(await origin({ 'X-Forge-Token': forge.token })).toBe('api');
  expect(await origin({ Authorization: `Bearer ${forge.token}` })).toBe('api');
  expect(await origin({ 'X-Forge-Token': forge.token, 'X-Forge-Client': 'forge-cli' })).toBe('api');
  const call = { method: 'POST' as const, path: PLACE, type: 'application/json', body: '{"title":"panel"}' };
  expect(await extension.request('api.call', { ...call, base64: false, stream: false })).toMatchObject({ status: 201 });
  const { sessions } = (await forge.request('GET', PLACE)).body as { sessions: { title: string; origin: string }[] };
  expect(sessions.filter(({ title }) => title === 'panel')).toMatchObject([{ origin: 'extension' }]);
  // What it says of itself opens nothing, and it is not a client's to say in so many words.
  expect((await begin({ 'X-Forge-Client': 'forge-extension' })).status).toBe(401);
  expect((await forge.request('POST', PLACE, { origin: 'web' })).status).toBe(400);
});

it('K-15 a conversation from before that is one of the page', async () => {
  const file = path.join(tempFolder(), 'forge.db');
  const step = MIGRATIONS.findIndex((sql) => sql.includes('ALTER TABLE sessions ADD COLUMN origin'));
  const before = await openDatabase(file, { migrations: MIGRATIONS.slice(0, step) });
  before
    .prepare("INSERT INTO sessions (id, title, model, created_at, updated_at) VALUES ('sess_1', 'Old', '', 'a', 'b')")
    .run();
  before.close();
  const db = await openDatabase(file);
  onTestFinished(() => db.close());
  expect(createSessions(db, () => new Date()).require('sess_1')).toMatchObject({ title: 'Old', origin: 'web' });
});
