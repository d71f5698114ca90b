import { expect, it } from 'vitest';
import type { Terminal } from '../terminal.ts';
import { printRequest } from './print-request.ts';

function printed(request: unknown): string {
  const lines: string[] = [];
  // Of a terminal this is all that printing needs.
  const terminal = { out: (text = '') => lines.push(text), paint: (_style: string, text: string) => text };
  printRequest(terminal as unknown as Terminal, request);
  return lines.join('\n');
}

it('prints the request that gets a bearer after the one that needs it', () => {
  const headers = { authorization: 'Bearer [secret]' };
  const exchange = { method: 'POST', url: 'http://x.test/login', headers: { accept: '*/*' }, body: '{"p":"[secret]"}' };
  expect(printed({ method: 'GET', url: 'http://x.test/a', headers, body: null, exchange })).toBe(`GET http://x.test/a
authorization: Bearer [secret]

with a bearer from
POST http://x.test/login
accept: */*

{"p":"[secret]"}`);
});
