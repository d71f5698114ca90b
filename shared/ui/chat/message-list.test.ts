import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../chat-api.ts';
import { textOf, withDrawn, withEarlier, withMessage } from './message-list.ts';

const message = (id: string, seq: number, more: Partial<ChatMessage> = {}): ChatMessage => ({
  ...{ id, seq, session_id: 's', role: 'assistant', status: 'ok', parts: [], task_id: null, model: null, error: null },
  ...{ warnings: [], report: null, usage: null, cost_usd: null, created_at: '', ended_at: null },
  ...more,
});
const text = (words: string) => [{ type: 'text' as const, text: words }];

describe('C-141 the messages of a conversation', () => {
  it('S11 those that were shown before a page that was read again stay, unless it reaches back to the first', () => {
    const shown = [1, 2, 3, 4].map((seq) => message(String(seq), seq));
    const page = { messages: [message('3', 3), message('4', 4), message('5', 5)], has_earlier: true };
    expect(withEarlier(page, shown).map(({ id }) => id)).toEqual(['1', '2']);
    expect(withEarlier({ ...page, has_earlier: false }, shown)).toEqual([]);
    expect(withEarlier({ messages: [], has_earlier: false }, shown)).toEqual([]);
  });

  it('stand in their order, each once, whenever they come', () => {
    const list = [message('a', 1), message('c', 3)];
    const ids = (messages: ChatMessage[]) => messages.map(({ id }) => id);
    expect(ids(withMessage(list, message('b', 2)))).toEqual(['a', 'b', 'c']);
    expect(ids(withMessage(list, message('d', 4)))).toEqual(['a', 'c', 'd']);
    const changed = withMessage(list, message('a', 1, { status: 'error' }));
    expect(changed.map(({ status }) => status)).toEqual(['error', 'ok']);
  });

  it('keep what was drawn of an answer under way, and only then', () => {
    const drawn = [message('a', 1, { status: 'running', task_id: 't', parts: text('Hello the') })];
    const stored = (more: Partial<ChatMessage>) => [message('a', 1, { task_id: 't', parts: text('Hello'), ...more })];
    expect(withDrawn(stored({ status: 'running' }), drawn)[0]?.parts).toEqual(text('Hello the'));
    expect(withDrawn(stored({ status: 'ok' }), drawn)[0]?.parts).toEqual(text('Hello'));
    expect(withDrawn(stored({ status: 'running', task_id: 'other' }), drawn)[0]?.parts).toEqual(text('Hello'));
  });

  it('are copied without what tools did', () => {
    const tool = { type: 'tool' } as ChatMessage['parts'][number]; // only its type is looked at
    expect(textOf({ parts: [...text('One.'), tool, ...text('Two.')] })).toBe('One.\n\nTwo.');
  });
});
