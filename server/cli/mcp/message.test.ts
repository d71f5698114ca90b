import { expect, it } from 'vitest';
import { readLine, standardHeaders } from './message.ts';

it.each([
  ['tools/call', { name: 'demo__get' }, 'demo__get'],
  ['tools/call', { name: 'naïve' }, '=?base64?bmHDr3Zl?='],
  ['resources/read', { uri: 'forge://docs/authoring' }, 'forge://docs/authoring'],
  ['tasks/get', { taskId: 'wch_1' }, 'wch_1'],
  ['tasks/update', { taskId: 'wch_1' }, 'wch_1'],
  ['tasks/cancel', { taskId: 'wch_1' }, 'wch_1'],
  ['tools/list', { name: 'x' }, undefined],
])('%s with %j is sent with the name it is about', (method, params, name) => {
  const message = readLine(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  if (message === null) throw new Error('not a message');
  expect(standardHeaders(message, '2026-07-28')).toEqual({
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(name === undefined ? {} : { 'Mcp-Name': name }),
  });
});
