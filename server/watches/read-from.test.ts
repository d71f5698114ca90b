import { expect, it } from 'vitest';
import { othersForAction, othersForPoll, sitesBehind } from './read-from.ts';

const plan = (before: string[], own: string[]) => ({ readFrom: { before, own } });
const change = (site: string) => ({ site, isReadOnly: false });

it('S8 a change by the tool at the end is asked about unless all that was read is of the same site', () => {
  expect(othersForAction(plan([], ['a.example']))(change('a.example'))).toEqual([]);
  expect(othersForAction(plan([], ['a.example']))(change('shell'))).toEqual(['a.example']);
  expect(othersForAction(plan(['b.example'], ['a.example']))(change('a.example'))).toEqual(['b.example']);
  expect(othersForAction(plan(['b.example'], ['a.example']))({ site: 'shell', isReadOnly: true })).toEqual([]);
  expect(othersForAction(plan([], ['*.example']))(change('*.example'))).toEqual(['*.example']);
});

it('S8 a watch that was begun before sites were written down has read anything', () => {
  expect(othersForAction({})(change('a.example'))).toEqual(['*']);
  expect(sitesBehind({})).toEqual(['*']);
});

it('S8 polls go on at the site they were begun on, and ask before they change another one', () => {
  const seen: string[] = [];
  const others = (before: string[], own: string[], site: string) =>
    othersForPoll(plan(before, own), (asked) => seen.push(asked))(change(site));
  expect(others([], ['*.example'], '*.example')).toEqual([]);
  expect(others([], ['a.example'], 'shell')).toEqual(['a.example']);
  expect(others(['b.example'], ['a.example'], 'a.example')).toEqual(['b.example']);
  expect(seen).toEqual(['*.example', 'shell', 'a.example']);
});
