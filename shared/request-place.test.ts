import { expect, it } from 'vitest';
import { placeOf } from './request-place.ts';

it.each([
  '/api',
  '/api/connectors',
  '/API/connectors',
  '/Api',
  '//api/x',
  '/./api/x',
  '/x/../api/x',
  '/%61pi/x',
  '/a%70i',
  '/%2fapi/x',
  '/api%2fx',
  '\\api\\x',
  '/api;x=1/y',
  '/ａｐｉ/x',
  '/api\u200b/x',
  '/api%00/x',
  '/mcp',
  '/MCP/',
  '/metrics',
  '/Engine/v1/signals',
  '/bridge',
  '/external/x',
  '/%zz',
])('S15 %j is guarded like /api', (path) => expect(placeOf(path)).toBe('api'));

it.each(['/confirm/abc', '/CONFIRM/abc', '//confirm/abc', '/%63onfirm/abc'])('%s is a confirmation', (path) =>
  expect(placeOf(path)).toBe('confirm'),
);

it.each(['/', '/settings/connectors', '/chat/x', '/assets/main-1.js', '/apis', '/settings/api', '/api/../chat'])(
  '%s is the page',
  (path) => expect(placeOf(path)).toBe('page'),
);
