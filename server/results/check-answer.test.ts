import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { answerProblem, resultProblem, type AnswerChecks } from './check-answer.ts';
import { normaliseHttp, normaliseScript, normaliseShell, type HttpAnswer } from './normalise.ts';

const plain = { redact: (text: string) => text, redactValue: (value: JsonValue) => value };
const files = {
  save: () => {
    throw new Error('nothing is saved here');
  },
};

describe('an answer that looks like success', () => {
  it.each<[AnswerChecks, JsonValue, string]>([
    [{ error_path: 'error' }, { ok: false, error: 'not_authed' }, 'not_authed'],
    [{ error_path: 'errors' }, { data: null, errors: [{ message: 'no field x' }] }, 'no field x'],
    [{ error_path: 'errors[].message' }, { errors: [{ message: 'a' }, { message: 'b' }] }, 'a; b'],
    [{ error_path: 'errcode' }, { errcode: 40013, message: 'invalid id' }, 'errcode is 40013: invalid id'],
    [{ error_path: 'failed' }, { failed: true, detail: 'why' }, 'failed is true: why'],
    [{ ok_match: { path: 'ok', equals: true } }, { ok: false, error: 'x' }, 'ok is not true: x'],
    [{ ok_match: { path: 'ok', equals: true } }, { error: 'x' }, 'ok is not true: x'],
    [{ ok_match: { path: 'status', equals: 'done' } }, { status: { done: 1 }, title: 't' }, 'status is not done: t'],
    [{ ok_match: { path: 'code', equals: 0 } }, { code: 1, message: 'm' }, 'code is not 0: m'],
    [{ ok_match: { path: 'items[].ok', equals: true } }, { items: [], message: 'm' }, 'items[].ok is not true: m'],
  ])('%j fails for %j', (checks, value, problem) => {
    expect(answerProblem(value, checks, plain)).toBe(problem);
  });

  it.each<[AnswerChecks, JsonValue | undefined]>([
    [{}, { error: 'x' }],
    [{ error_path: 'error' }, { ok: true }],
    [{ error_path: 'error' }, undefined],
    [{ error_path: 'error' }, [1]],
    ...[null, false, 0, '', '0', [], {}, [null, '']].map((error): [AnswerChecks, JsonValue] => [
      { error_path: 'error' },
      { error },
    ]),
    [{ ok_match: { path: 'ok', equals: true } }, { ok: true }],
    [{ ok_match: { path: 'ok', equals: true } }, { ok: 'true' }],
    [{ ok_match: { path: 'items[].ok', equals: 1 } }, { items: [{ ok: 1 }, { ok: 1 }] }],
  ])('%j takes %j', (checks, value) => {
    expect(answerProblem(value, checks, plain)).toBeNull();
  });

  it('is no JSON where a match is wanted', () => {
    expect(answerProblem(undefined, { ok_match: { path: 'ok', equals: true } }, plain)).toBe(
      'the answer is not JSON, and ok should be true',
    );
  });

  it('has a path that can be read', () => {
    expect(() => answerProblem({}, { error_path: 'a..b' }, plain)).toThrow(
      expect.objectContaining({ code: 'connector_broken' }),
    );
  });

  it.each<[JsonValue | undefined, number, string | null]>([
    [[], 1, 'the result has 0 items, and should have at least 1'],
    [[1], 2, 'the result has 1 item, and should have at least 2'],
    [{ items: [] }, 1, 'the result is not a list, and at least 1 item should be in it'],
    ['', 1, 'the result is not a list, and at least 1 item should be in it'],
    [[1], 1, null],
  ])('%j with at least %i items', (value, min_items, problem) => {
    expect(resultProblem(value, { expect: { min_items } })).toBe(problem);
    expect(resultProblem(value, {})).toBeNull();
  });
});

describe('in every protocol', () => {
  const http = (body: string, type = 'application/json'): HttpAnswer => ({
    ...{ method: 'GET', url: 'https://a.test/x', status: 200, statusText: 'OK', redirectedTo: null },
    ...{ headers: { 'content-type': type }, body: Buffer.from(body) },
  });
  const over = (answer: HttpAnswer, projection: object) =>
    normaliseHttp(answer, { projection, captureHeaders: [], redactor: plain, files });

  it('http: the whole answer is looked at, not only what is handed on', () => {
    const outcome = over(http('{"error":"expired","items":[1]}'), { error_path: 'error', items_path: 'items' });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'upstream_error', message: 'HTTP 200 OK · GET https://a.test/x: expired' },
    });
    expect(over(http('{"items":[1]}'), { error_path: 'error', items_path: 'items' })).toMatchObject({ value: [1] });
    expect(over(http('<p>', 'text/html'), { ok_match: { path: 'ok', equals: true } })).toMatchObject({ ok: false });
  });

  it('http: items are counted where they are handed on', () => {
    const projection = { items_path: 'items', expect: { min_items: 1 } };
    expect(over(http('{"items":[]}'), projection)).toMatchObject({ error: { code: 'unexpected_result' } });
    expect(over(http('{"items":[1]}'), projection)).toMatchObject({ ok: true });
  });

  it('shell and scripts', () => {
    const shell = { exitCode: 0, signal: null, stdout: '{"error":"no"}', stderr: '', droppedBytes: 0 };
    const failed = { error: { code: 'tool_error', message: 'no' } };
    expect(normaliseShell(shell, { redactor: plain, projection: { error_path: 'error' } })).toMatchObject(failed);
    expect(normaliseScript('{"error":"no"}', { files, projection: { error_path: 'error' } })).toMatchObject(failed);
    expect(normaliseScript('[]', { files, projection: { expect: { min_items: 1 } } })).toMatchObject({
      error: { code: 'unexpected_result' },
    });
  });

  it('a secret is masked before the reason is cut', () => {
    const redactor = { ...plain, redactValue: () => ({ message: '[secret]' }) };
    const outcome = normaliseScript('{"error":{"message":"hunter2"}}', {
      files,
      redactor,
      projection: { error_path: 'error' },
    });
    expect(outcome).toMatchObject({ error: { message: '[secret]' } });
  });
});
