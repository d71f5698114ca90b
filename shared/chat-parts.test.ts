import { describe, expect, it } from 'vitest';
import type { ChatPart } from './chat-api.ts';
import { addToParts, endPart } from './chat-parts.ts';

const text = (said: string, offset?: number) => ({
  type: 'execution.text',
  data: { text: said, ...(offset === undefined ? {} : { offset }) },
});
const call = (id: string) => ({ type: 'execution.tool_call', data: { id, name: 'a__b', args: { n: 1 } } });
const result = (id: string, ok: boolean, said: string) => ({
  type: 'execution.tool_result',
  data: {
    id,
    name: 'a__b',
    ok,
    text: said,
    durationMs: 5,
    callId: 'call_1',
    toolId: 'a.b',
    ...(ok ? {} : { code: 'timeout' }),
  },
});

function partsOf(...events: { type: string; data?: unknown }[]): ChatPart[] {
  const parts: ChatPart[] = [];
  for (const event of events) addToParts(parts, event);
  return parts;
}

describe('an answer’s parts', () => {
  it('grow with the text, and a piece that was there in part is not said twice', () => {
    const parts = partsOf(text('One ', 0), text('two ', 4), text('two three', 4), { type: 'execution.started' });
    expect(parts).toEqual([{ type: 'text', text: 'One two three' }]);
    expect(addToParts(parts, text('three', 8))).toBeNull();
  });

  it('keep tools where they were asked for, with their results', () => {
    const parts = partsOf(
      text('A', 0),
      call('1'),
      call('2'),
      result('2', false, 'no'),
      result('1', true, 'yes'),
      text('B', 1),
    );
    expect(parts).toMatchObject([
      { text: 'A' },
      { type: 'tool', id: '1', state: 'done', result: 'yes', tool_id: 'a.b', call_id: 'call_1', duration_ms: 5 },
      { type: 'tool', id: '2', state: 'failed', result: 'no', code: 'timeout' },
      { text: 'B' },
    ]);
  });

  it('name the tab where a person has to log in, where a tool has told it', () => {
    const { data } = result('1', false, 'login_required: log in');
    const loginTab = { browser_id: 'br_1', tab_id: 7 };
    const parts = partsOf(call('1'), { type: 'execution.tool_result', data: { ...data, loginTab } });
    expect(parts).toMatchObject([{ state: 'failed', login_tab: loginTab }]);
  });

  it('tell calls apart that a model gives the same id', () => {
    const parts = partsOf(call('1'), result('1', true, 'first'), call('1'), result('1', true, 'second'));
    expect(parts).toMatchObject([{ result: 'first' }, { result: 'second' }]);
    expect(addToParts(parts, result('1', true, 'third'))).toBeNull();
  });

  it('wait for a person, and keep the last of what was printed', () => {
    const output = (said: string) => ({ type: 'execution.tool_output', data: { id: '1', text: said } });
    const approval = { type: 'execution.tool_approval', data: { id: '1', approvalId: 'apr_1', reason: 'Why' } };
    const [part] = partsOf(call('1'), output('x'.repeat(20_000)), output('end'), approval);
    expect(part).toMatchObject({ state: 'waiting', approval: { id: 'apr_1', reason: 'Why' } });
    expect(part?.type === 'tool' && part.output).toMatch(/^x{19997}end$/);
  });

  it('end with their answer: what ran is unknown, what waited was not done', () => {
    const [running] = partsOf(call('1'));
    const [done] = partsOf(call('1'), result('1', true, 'yes'));
    expect(endPart(running!, 'cancelled')).toMatchObject({ state: 'unknown', code: 'cancelled' });
    expect(endPart({ ...running!, state: 'waiting' } as ChatPart, 'cancelled')).toMatchObject({ state: 'failed' });
    expect(endPart(done!, 'cancelled')).toBe(done);
  });
});
