import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatToolPart } from '../../chat-api.ts';
import { announcement } from './announcement.ts';

const answer = (more: Partial<ChatMessage>): ChatMessage => ({
  ...{ id: 'a', seq: 1, session_id: 's', role: 'assistant', status: 'running', parts: [], task_id: 't', model: null },
  ...{ error: null, warnings: [], report: null, usage: null, cost_usd: null, created_at: '', ended_at: null },
  ...more,
});
const text = (words: string) => ({ type: 'text' as const, text: words });
const waiting: ChatToolPart = {
  ...{ type: 'tool', id: '1', name: 'jira__add_comment', args: {}, state: 'waiting' },
  ...{ approval: { id: 'ap_1', reason: 'It writes.' }, output: '', result: null, tool_id: null, call_id: null },
  ...{ handle: null, code: null, duration_ms: null, site: null },
};
const NOTHING = { running: null, asked: '' };

describe('what a screen reader is told of an answer', () => {
  it('is told that it begins, what it asks and how it ends, and nothing in between', () => {
    const begun = announcement(NOTHING, [answer({})]);
    expect(begun.said).toBe('Forge is answering.');
    const words = announcement(begun.next, [answer({ parts: [text('Hel')] })]);
    expect(words.said).toBeNull();
    const asked = announcement(words.next, [answer({ parts: [text('Hello'), waiting] })]);
    expect(asked.said).toBe('jira.add_comment needs your approval: It writes.');
    const same = announcement(asked.next, [answer({ parts: [text('Hello'), waiting] })]);
    expect(same.said).toBeNull();
    const ended = announcement(same.next, [answer({ status: 'ok', parts: [text('Hello.')] })]);
    expect(ended.said).toBe('Forge answered: Hello.');
    expect(announcement(ended.next, [answer({ status: 'ok', parts: [text('Hello.')] })]).said).toBeNull();
  });

  it('says nothing of what was said long ago', () => {
    expect(announcement(NOTHING, [answer({ status: 'ok', parts: [text('Old.')] })]).said).toBeNull();
  });
});
