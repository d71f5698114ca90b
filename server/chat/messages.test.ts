import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createMessages, type StoredPart } from './messages.ts';
import { createSessions } from './sessions.ts';
import { sitesOf } from './sites-of.ts';

async function world() {
  const db = await openDatabase(path.join(tempDir(), 'forge.db'));
  onTestFinished(() => db.close());
  const now = () => new Date('2026-03-01T12:00:00Z');
  const sessions = createSessions(db, now);
  const messages = createMessages(db, now);
  const sessionId = sessions.add({ title: 'x', model: '', origin: 'web' });
  const say = (text: string, site: string | null = null) => {
    const tool: StoredPart = {
      ...{ type: 'tool', id: 'a', name: 'a__b', args: {}, state: 'done', approval: null, output: '', result: null },
      ...{ tool_id: null, call_id: null, handle: null, code: null, duration_ms: null, site },
    };
    return messages.add({ sessionId, role: 'user', status: 'ok', parts: [{ type: 'text', text }, tool] });
  };
  return { db, sessions, messages, sessionId, say };
}

describe('S11 a long conversation', () => {
  it('is read from its end, a page at a time', async () => {
    const { messages, sessions, sessionId, say } = await world();
    const other = sessions.add({ title: 'y', model: '', origin: 'web' });
    for (let n = 0; n < 25; n += 1) {
      say(`message ${n}`);
      messages.add({ sessionId: other, role: 'user', status: 'ok' });
    }
    const texts: string[] = [];
    for (let before: number | null = null; ;) {
      const page = messages.page(sessionId, { limit: 10, before });
      texts.unshift(...page.map(({ parts: [part] }) => (part?.type === 'text' ? part.text : '')));
      if (page.length < 10) break;
      before = page[0]?.seq ?? null;
    }
    expect(texts).toEqual(Array.from({ length: 25 }, (_, n) => `message ${n}`));
    expect(messages.page(sessionId, { limit: 3, before: null })).toEqual(messages.list(sessionId).slice(-3));
  });

  it('knows the sites of all its messages, in the order in which they were read', async () => {
    const { messages, sessionId, say } = await world();
    say('a', 'b.example');
    say('b');
    messages.add({ sessionId, role: 'report', status: 'ok', about: { site: 'a.example' } });
    say('c', 'b.example');
    expect(messages.sites(sessionId)).toEqual(['b.example', 'a.example']);
    expect(messages.sites(sessionId)).toEqual(sitesOf(messages.list(sessionId)));
  });
});
