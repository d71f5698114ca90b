import { expect, it } from 'vitest';
import type { ChatMessage } from '../../shared/chat-api.ts';
import { fakeLlm } from '../execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../execution/testing/fake-llm/script.ts';
import { testForge } from '../testing/forge.ts';
import { pairExtension } from '../testing/paired-extension.ts';

const MANIFEST = `id: web
name: Web
version: "1.0.0"
host_match: 'https://web.test/*'
tools:
  wipe: { description: Deletes a row., destructive: true, parameters: { id: { required: true } }, script: return 1 }
`;

it('K-10 E-02 what a browser asks about waits in the conversation as well, and can be answered there', async () => {
  const llm = await fakeLlm([turn.tools({ name: 'web__wipe', args: { id: '7' } }), turn.text('It is gone.')]);
  const forge = await testForge({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  const { extension } = await pairExtension(forge);
  const { body: session } = await forge.request('POST', '/api/chat/sessions', {});
  const place = `/api/chat/sessions/${String(session.id)}`;
  await forge.request('POST', `${place}/messages`, { text: 'Delete row 7.' });
  const asked = await extension.nextAsked();
  const { call_id } = asked.params;
  extension.asking({ call_id, state: 'asked' });
  const parts = async () =>
    ((await forge.request('GET', place)).body.messages as ChatMessage[]).at(-1)?.parts.filter(({ type }) => type === 'tool'); // prettier-ignore
  const [{ id }] = await expect
    .poll(async () => (await forge.request('GET', '/api/approvals')).body.approvals)
    .toHaveLength(1)
    .then(async () => (await forge.request('GET', '/api/approvals')).body.approvals);
  await expect.poll(parts).toMatchObject([{ state: 'waiting', approval: { id } }]);
  await forge.request('POST', `/api/approvals/${String(id)}`, { decision: 'approve' });
  expect(await extension.nextDecided()).toEqual({ call_id, approved: true });
  asked.returns('wiped');
  await expect.poll(parts).toMatchObject([{ state: 'done', tool_id: 'web.wipe' }]);
});
