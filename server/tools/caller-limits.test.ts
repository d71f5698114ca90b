import { describe, expect, it } from 'vitest';
import { toPackage } from '../../shared/manifest/connector.ts';
import { openToolModes } from '../connectors/testing/tool-modes.ts';
import { isWithinLimits, requireWithinLimits, type CallerLimits } from './caller-limits.ts';

const SERVICE = toPackage(
  {
    id: 'bundle',
    name: 'Bundle',
    version: '1.0.0',
    connectors: [
      {
        id: 'part',
        name: 'Part',
        tools: {
          get: { protocol: 'http', request: { url: 'https://a.test' } },
          head: { protocol: 'http', request: { method: 'HEAD', url: 'https://a.test' } },
          odd: { protocol: 'http', destructive: true, request: { url: 'https://a.test/delete' } },
          post: { protocol: 'http', request: { method: 'POST', url: 'https://a.test' } },
          run: { protocol: 'shell', command: ['true'] },
          page: { script: 'return 1' },
        },
      },
    ],
  },
  new Map(),
);

const toolModes = await openToolModes();

function entryOf(name: string) {
  const connector = SERVICE.connectors[0]!;
  return { package: SERVICE, connector, tool: connector.tools[name]! };
}

describe('what a limited caller may call', () => {
  it.each([
    ['get', true],
    ['head', true],
    ['odd', false],
    ['post', false],
    ['run', false],
    ['page', false],
  ])('read-only: %s is %s', (name, expected) => {
    expect(isWithinLimits(entryOf(name), { connectors: null, readOnly: true }, toolModes)).toBe(expected);
    expect(isWithinLimits(entryOf(name), { connectors: null, readOnly: false }, toolModes)).toBe(true);
  });

  it.each<[CallerLimits['connectors'], boolean]>([
    [null, true],
    [['part'], true],
    [['bundle'], true],
    [['other', 'part'], true],
    [['par'], false],
    [[], false],
  ])('connectors %j: %s', (connectors, expected) => {
    expect(isWithinLimits(entryOf('get'), { connectors, readOnly: false }, toolModes)).toBe(expected);
  });

  it.each<[string, CallerLimits, string]>([
    ['post', { connectors: null, readOnly: true }, 'this client may not call part.post: it may only read'],
    [
      'get',
      { connectors: ['other'], readOnly: true },
      'this client may not call part.get: this connector is not for it',
    ],
  ])('says why %s may not be called', (name, limits, message) => {
    expect(() => requireWithinLimits(entryOf(name), limits, toolModes)).toThrow(
      expect.objectContaining({ code: 'client_not_allowed', message }),
    );
  });
});
