import { describe, expect, it } from 'vitest';
import type { Approval } from '../approvals/approval.ts';
import { approvalForm, canAsk, decisionOf } from './ask-person.ts';

const APPROVAL: Approval = {
  id: 'apr_1',
  kind: 'call',
  tool_id: 'jira.delete_issue',
  connector_id: 'jira',
  args: { key: 'ABC-1' },
  host: null,
  caller: 'test',
  reason: 'Jira: delete_issue changes something.',
  status: 'pending',
  created_at: '',
  expires_at: '',
  decided_at: null,
  decided_by: null,
  session_id: null,
  read_from: null,
};

describe('the question to a person', () => {
  it('names the tool and its arguments, and is a no until it is switched on', () => {
    const { message, requestedSchema } = approvalForm(APPROVAL);
    expect(message).toBe(
      'Jira: delete_issue changes something.\nTool: jira.delete_issue\nArguments: {\n "key": "ABC-1"\n}',
    );
    expect(requestedSchema).toMatchObject({
      properties: { approve: { type: 'boolean', default: false } },
      required: ['approve'],
    });
  });

  it('shows characters that would hide or turn around what is asked', () => {
    const args = { text: 'safe\u202Egnp.exe \u200Bhidden' };
    const { message } = approvalForm({ ...APPROVAL, args, reason: 'a\u0007b' });
    expect(message).toContain('safe\\u202egnp.exe \\u200bhidden');
    expect(message).toContain('a\\u0007b');
  });

  it('says how much of long arguments it leaves out', () => {
    const { message } = approvalForm({ ...APPROVAL, args: { text: 'x'.repeat(10_000) } });
    expect(message.length).toBeLessThan(2300);
    expect(message).toMatch(/… \(80\d\d more characters\)$/);
  });
});

describe('the answer', () => {
  it.each<[unknown, string]>([
    [{ action: 'accept', content: { approve: true } }, 'approve'],
    [{ action: 'accept', content: { approve: 'true' } }, 'deny'],
    [{ action: 'accept', content: { approve: false } }, 'deny'],
    [{ action: 'accept', content: {} }, 'deny'],
    [{ action: 'accept' }, 'deny'],
    [{ action: 'decline', content: { approve: true } }, 'deny'],
    [{ action: 'cancel' }, 'later'],
    [{ action: 'ACCEPT', content: { approve: true } }, 'later'],
    [{}, 'later'],
    [null, 'later'],
    ['accept', 'later'],
  ])('%j is %s', (given, decision) => {
    expect(decisionOf(given)).toBe(decision);
  });
});

it.each<[unknown, boolean]>([
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{}, false],
  [undefined, false],
  [{ elicitation: true }, false],
])('a client with %j can ask: %s', (capabilities, expected) => {
  expect(canAsk(capabilities)).toBe(expected);
});
