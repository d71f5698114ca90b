import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { chatClient } from './testing/chat-world.ts';

const SCRIPTED = path.join(import.meta.dirname, '../execution/testing/fixtures/scripted-adapter.js');

describe('a conversation without a model of Forge’s own', () => {
  it('is answered by a runtime that brings its own, and the page is told that it can be', async () => {
    const forge = await testForge({ BRIDGE_ADAPTERS: 'custom', CUSTOM_ADAPTER_MODULE: SCRIPTED });
    const { body } = await forge.request('GET', '/api/models');
    expect(body.providers.some(({ configured }: { configured: boolean }) => configured)).toBe(false);
    expect(body.can_answer).toBe(true);
    const { newSession, ask } = chatClient(forge);
    expect(await ask(await newSession(), 'Echo')).toMatchObject({ status: 'ok', parts: [{ text: 'Echo' }] });
  });

  it('has nobody to answer it otherwise, and the page is told so', async () => {
    const forge = await testForge();
    expect((await forge.request('GET', '/api/models')).body.can_answer).toBe(false);
    const { newSession, say } = chatClient(forge);
    expect((await say(await newSession(), 'Hi')).body.error.code).toBe('model_not_configured');
  });
});
