import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { turn } from '../execution/testing/fake-llm/script.ts';
import { chatWorld } from './testing/chat-world.ts';

it('a message can be edited after its file has been removed, and keeps the file', async () => {
  const { forge, llm, newSession, ask, say, get } = await chatWorld(onTestFinished);
  const id = await newSession();
  const data = Buffer.from('# Plan A').toString('base64');
  const file = (await forge.request('POST', `/api/chat/sessions/${id}/files`, { name: 'plan.md', data })).body;
  llm.script([turn.text('A plan.'), turn.text('Another plan.')]);
  await ask(id, 'What is it?', { files: [file.file_id] });
  rmSync(path.join(forge.dataDir.root, 'files', file.file_id), { recursive: true });

  const [first] = (await get(id)).messages;
  await ask(id, 'What is in it?', { files: [file.file_id], replaces: first.id });
  expect(llm.requests.at(-1)!.messages[0]!.text).toMatch(/^What is in it\?[\s\S]*# Plan A/);
  expect((await get(id)).messages[0].parts).toMatchObject([{ text: 'What is in it?' }, { name: 'plan.md' }]);
  // It belongs to that message, and to no other.
  expect((await say(id, 'And now?', { files: [file.file_id] })).status).toBe(404);
});
