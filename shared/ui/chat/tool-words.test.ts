import { describe, expect, it } from 'vitest';
import { failureIn, resultValue } from './result-value.ts';
import { fileNameOf, headWords, usageWords, withOrigin } from './thread-words.ts';
import { connectorOf, countWords, failureMark, toolArgs, toolName } from './tool-words.ts';

const called = (name: string, args = {}, tool_id: string | null = null) => ({ name, args, tool_id });

describe('E-02 a tool card in a conversation', () => {
  it.each([
    [called('jira__list_my_issues', {}, 'jira.list_my_issues'), 'jira.list_my_issues', 'jira', {}],
    [called('jira__list_my_issues', { max: 5 }), 'jira.list_my_issues', 'jira', { max: 5 }],
    [called('forge_call_tool', { tool: 'git__log', arguments: { n: 1 } }), 'git.log', 'git', { n: 1 }],
    [called('forge_search_tools', { query: 'x' }), 'forge_search_tools', null, { query: 'x' }],
  ])('names the tool, its connector and what it was given', (part, name, connector, args) => {
    expect([toolName(part), connectorOf(part), toolArgs(part)]).toEqual([name, connector, args]);
  });

  it.each([
    ['upstream_error', 'broken Service refused'],
    ['some_new_code', 'broken Some new code'],
    ['login_required', 'needs Needs you to log in'],
    ['approval_denied', 'off Denied'],
    [null, 'broken Failed'],
  ])('says in words why it failed: %s', (code, wanted) => {
    const { state, label } = failureMark(code);
    expect(`${state} ${label}`).toBe(wanted);
  });

  it.each([
    ['[{"a":1},{"a":2}]', '2 rows'],
    ['[{"a":1}]', '1 row'],
    ['{"a":1}', ''],
    ['one\ntwo', '2 lines'],
    [
      '{"truncated":true,"head":"[","shape":"a list of 900","total_chars":9}\n\nThis is its beginning.',
      'a list of 900',
    ],
    [`{"filename":"a.txt","file_url":"/api/files/${'0'.repeat(24)}"}`, '1 file'],
    ['x-total: 2\n\n[1,2]\n\nThis is its beginning.', '2 rows'],
  ])('counts what %s holds', (text, words) => {
    expect(countWords(resultValue(text))).toBe(words);
  });

  it('shows what cannot be read as a value as it is', () => {
    expect(resultValue('{ not json')).toBe('{ not json');
    expect(resultValue('12')).toBe('12');
  });

  it('tells a failure apart from its hint', () => {
    expect(failureIn('login_required: log in to Jira\nOpen the tab.')).toEqual({
      message: 'log in to Jira',
      hint: 'Open the tab.',
    });
  });
});

describe('what a conversation has cost', () => {
  it.each([
    [null, null, ''],
    [0, null, ''],
    [12_345, null, '12,345 tokens'],
    [10, 0.0012, '10 tokens, $0.0012'],
    [10, 1.5, '10 tokens, $1.50'],
    [10, 0.000_02, '10 tokens, less than $0.0001'],
    [10, 0, '10 tokens, $0.00'],
  ])('%s tokens, %s dollars', (total_tokens, cost_usd, words) => {
    expect(usageWords({ total_tokens, cost_usd })).toBe(words);
  });

  it('is said to be more where some of it is not known', () => {
    expect(usageWords({ total_tokens: 10, cost_usd: 1.5, unpriced_answers: 2 })).toBe('10 tokens, at least $1.50');
    expect(usageWords({ total_tokens: 10, cost_usd: null, unpriced_answers: 2 })).toBe('10 tokens');
  });

  it('K-15 says where it was begun, and where its reports go', () => {
    const used = { total_tokens: 10, cost_usd: null };
    expect((['web', 'extension', 'telegram', 'api'] as const).map((origin) => withOrigin('now', origin))).toEqual([
      ...['now', 'now, extension', 'now, Telegram', 'now, API'],
    ]);
    expect([headWords(used, 'api'), headWords(used, 'telegram')]).toEqual([
      ...['10 tokens', '10 tokens, reports go to Telegram'],
    ]);
    expect(headWords({ total_tokens: 0, cost_usd: null }, 'telegram')).toBe('Reports go to Telegram');
  });

  it('is exported under a name every system takes', () => {
    expect(fileNameOf('../What: is “this”?', 'markdown')).toBe('What-is-this.md');
    expect(fileNameOf('…', 'json')).toBe('conversation.json');
  });
});
