import { describe, expect, it } from 'vitest';
import type { CallDetail } from '../../../calls-api.ts';
import { fixtureOf } from './fixture.ts';

const SETTINGS = {
  base_url: 'https://api.test/v2',
  token: { $secret: true },
  note: null,
  instances: [{ $id: 'r1', name: 'prod', password: { $secret: true } }],
};
const REQUEST = {
  method: 'POST',
  url: 'https://api.test/v2/people?key=[secret]',
  headers: { authorization: 'Bearer [secret]', accept: 'application/json', 'content-type': 'application/json' },
  body: '{"name":"Ada","pin":"[secret]"}',
};
const RESPONSE = {
  status: 201,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'set-cookie': 'session=abc', link: '<x>; rel=next' },
  head: '{"id":7}',
};

const tried = (trace: unknown): CallDetail => ({
  ...{ id: 'call_1', seq: 1, at: '2026-01-01T00:00:00Z', caller: 'settings', tool_id: 'crm.add', connector_id: 'crm' },
  ...{ args: { name: 'Ada' }, outcome: 'ok', code: null, message: null, duration_ms: 3, stages: {}, trace },
});
const fixture = (trace: unknown) => fixtureOf({ call: tried(trace), settings: SETTINGS, result: { id: 7 } });

describe('a call as a fixture', () => {
  it('has the request, the answer and the result, leads to any server, and holds no secret and no cookie', () => {
    expect(fixture({ request: REQUEST, response: RESPONSE })).toEqual({
      args: { name: 'Ada' },
      settings: {
        base_url: '{origin}/v2',
        token: 'example-secret',
        instances: [{ name: 'prod', password: 'example-secret' }],
      },
      expect: {
        method: 'POST',
        path: '/v2/people?key=example-secret',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: { name: 'Ada', pin: 'example-secret' },
      },
      response: {
        status: 201,
        headers: { 'content-type': 'application/json; charset=utf-8', link: '<x>; rel=next' },
        body: { id: 7 },
      },
      result: { id: 7 },
    });
  });

  it.each([
    [{ argv: ['git', 'log'] }, { argv: ['git', 'log'] }],
    [{ ssh: {}, commands: ['ls'] }, { commands: ['ls'] }],
  ])('of a program has its words alone: %j', (request, expected) => {
    expect(fixture({ request, response: null })).toMatchObject({ args: { name: 'Ada' }, expect: expected });
  });

  it.each([
    ['an answer that the log has cut', { request: REQUEST, response: { ...RESPONSE, head: 'x'.repeat(20_000) } }],
    ['a body that the log has cut', { request: { ...REQUEST, body: 'x'.repeat(4000) }, response: RESPONSE }],
    ['a page', { request: { tab: {}, runner: 'main' }, response: { url: 'https://a.test' } }],
    ['nothing', null],
  ])('cannot be made of %s', (_what, trace) => {
    expect(fixture(trace)).toBeNull();
  });
});
