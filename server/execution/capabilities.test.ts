import { describe, expect, it } from 'vitest';
import { GATEWAY_CAPABILITIES, gatewaySupports } from './capabilities.ts';
import { ADAPTERS } from './loading/registry.ts';
import { isRuntimeProvider, RUNTIME_PROVIDERS } from './runtime-providers.ts';

describe('E-20 E-22 E-23 E-24 gatewaySupports', () => {
  it.each<[string, unknown, boolean]>([
    ['nothing', undefined, false],
    ['null', null, false],
    ['no list', {}, false],
    ['a list that is none', { capabilities: 'streaming' }, false],
    ['an empty list', { capabilities: [] }, false],
    ['another capability', { capabilities: ['file_io'] }, false],
    ['this one', { capabilities: ['file_io', 'streaming'] }, true],
  ])('of %s', (_what, profile, expected) => {
    expect(gatewaySupports(profile as Parameters<typeof gatewaySupports>[0], 'streaming')).toBe(expected);
  });
});

describe('the names of the document', () => {
  it('E-21 lists the capabilities', () => {
    expect(GATEWAY_CAPABILITIES).toEqual([
      ...['streaming', 'session_resume', 'file_io', 'mcp_servers', 'sandboxing', 'subagents', 'cost_tracking'],
      ...['structured_output', 'management', 'native_tools'],
    ]);
  });

  it('E-32 K-26 lists the runtimes, and has an adapter for each but the one that is nobody’s', () => {
    expect(RUNTIME_PROVIDERS).toEqual([
      ...['openclaw', 'claude-agent-sdk', 'vercel-ai', 'langgraph', 'convex-native', 'gloo-ai', 'hermes-agent'],
      ...['acme-ai', 'custom'],
    ]);
    expect(Object.keys(ADAPTERS).sort()).toEqual(RUNTIME_PROVIDERS.filter((name) => name !== 'convex-native').sort());
    expect([isRuntimeProvider('acme-ai'), isRuntimeProvider('nobody')]).toEqual([true, false]);
  });
});

it.each(Object.keys(ADAPTERS))('E-39 %s exports its adapter from index.ts', async (name) => {
  const exported = (await import(`./adapters/${name}/index.ts`)) as Record<string, unknown>;
  expect(Object.keys(exported).join()).toMatch(name === 'custom' ? /^loadCustom$/ : /Provider/);
});
