import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { judge } from './judge.ts';
import type { WatchPlan } from './watch.ts';

const path = (done: string, failPath: string | null = null) => ({
  done: [{ kind: 'path' as const, path: done }],
  failPath,
});
const match = (at: string, equals: string) => ({
  done: [{ kind: 'match' as const, path: at, equals }],
  failPath: null,
});

describe('judge', () => {
  const table: [string, JsonValue, Pick<WatchPlan, 'done' | 'failPath'>, string][] = [
    ['C-126 true', { done: true }, path('done'), 'done'],
    ['C-126 false', { done: false }, path('done'), 'going'],
    ['C-126 nothing there', {}, path('done'), 'going'],
    ['C-126 null', { done: null }, path('done'), 'going'],
    ['C-126 a text', { done: 'yes' }, path('done'), 'done'],
    ['C-126 the text false', { done: ' False ' }, path('done'), 'going'],
    ['C-126 the text 0', { done: '0' }, path('done'), 'going'],
    ['C-126 zero', { done: 0 }, path('done'), 'going'],
    ['C-126 an empty list', { done: [] }, path('done'), 'going'],
    ['C-126 a list', { done: [0] }, path('done'), 'done'],
    ['C-126 a path with an index', { jobs: [{ ok: 1 }] }, path('jobs[0].ok'), 'done'],
    ['C-126 a result that is no object', 'done', path('done'), 'going'],
    ['C-126 a prototype is no result', {}, path('constructor'), 'going'],
    ['C-127 failed', { error: 'no' }, path('done', 'error'), 'failed'],
    ['C-127 no error', { error: '', done: true }, path('done', 'error'), 'done'],
    ['C-127 no errors in the list', { errors: [], done: true }, path('done', 'errors'), 'done'],
    ['C-127 done and failed', { error: 'no', done: true }, path('done', 'error'), 'failed'],
    ['C-126 equal texts', { captured: { build: 'b7' } }, match('captured.build', 'b7'), 'done'],
    ['C-126 other texts', { captured: { build: 'b6' } }, match('captured.build', 'b7'), 'going'],
    ['C-126 a number and its text', { build: 42 }, match('build', '42'), 'done'],
    ['C-126 a truth and its text', { up: true }, match('up', 'true'), 'done'],
    ['C-126 nothing is not "undefined"', {}, match('build', 'undefined'), 'going'],
    ['C-126 either of two', { b: 1 }, { done: [...path('a').done, ...match('b', '1').done], failPath: null }, 'done'],
    ['C-126 an object is equal to nothing', { build: {} }, match('build', '[object Object]'), 'going'],
  ];
  it.each(table)('%s', (_title, result, plan, wanted) => {
    expect(judge(result, plan)).toBe(wanted);
  });
});
