import { describe, expect, it } from 'vitest';
import type { AdapterHealthStatus } from './adapter.ts';
import type { CostTier, GatewayCapability } from './capabilities.ts';
import { routeTask, type Candidate, type RoutingWish } from './routing.ts';

function candidate(
  provider: string,
  changes: { health?: AdapterHealthStatus; can?: GatewayCapability[]; cost?: CostTier; agents?: string[] } = {},
): Candidate {
  const { health = 'healthy', can = [], cost = 'low', agents = [] } = changes;
  return {
    ...{ provider, health, agents },
    profile: {
      ...{ capabilities: can, nativeTools: [], maxConcurrent: 1, outputStrategies: ['stream'] },
      ...{ costTier: cost, latencyProfile: 'fast' },
    },
  };
}

const wish = (changes: Partial<RoutingWish> = {}): RoutingWish => ({ agentId: 'helper', ...changes });

describe('E-25 the layers', () => {
  const plain = candidate('plain');
  const able = candidate('able', { can: ['sandboxing'], cost: 'high' });
  const home = candidate('home', { agents: ['helper'] });
  const weak = candidate('weak', { health: 'degraded', can: ['sandboxing'] });
  const down = candidate('down', { health: 'offline', can: ['sandboxing', 'subagents'], cost: 'low' });

  it.each<[string, Candidate[], Partial<RoutingWish>, string]>([
    ['the first that was loaded', [plain, able], {}, 'plain'],
    ['0: the pinned one, whatever else is said', [plain, able, home], { gateway: 'able', prefers: ['plain'] }, 'able'],
    ['0: the pinned one even if it is degraded', [plain, weak], { gateway: 'weak' }, 'weak'],
    ['1: one that can do it', [plain, able], { requires: ['sandboxing'] }, 'able'],
    ['2: the one that is liked best', [plain, able, home], { prefers: ['nobody', 'able', 'plain'] }, 'able'],
    ['2: one that is cheap enough', [able, weak], { requires: ['sandboxing'], maxCostTier: 'medium' }, 'weak'],
    ['2: not a liked one that is down', [plain, down], { prefers: ['down'] }, 'plain'],
    ['3: where the agent is deployed', [plain, home], {}, 'home'],
    ['3: but not against what is liked', [plain, home], { prefers: ['plain'] }, 'plain'],
    ['4: a healthy one before a degraded one', [weak, able], { requires: ['sandboxing'] }, 'able'],
    ['4: a degraded one before none', [down, weak], { requires: ['sandboxing'] }, 'weak'],
    [
      '4: another one when the agent’s own is down',
      [plain, candidate('gone', { health: 'offline', agents: ['helper'] })],
      {},
      'plain',
    ],
  ])('%s', (_what, candidates, changes, expected) => {
    expect(routeTask(candidates, wish(changes)).provider).toBe(expected);
  });

  it.each<[string, Candidate[], Partial<RoutingWish>, string]>([
    ['no runtime at all', [], {}, 'runtime_not_found'],
    ['a pinned one that is not loaded', [plain], { gateway: 'nobody' }, 'runtime_not_found'],
    ['a pinned one that is down', [plain, down], { gateway: 'down' }, 'runtime_offline'],
    ['none that can do it', [plain], { requires: ['subagents'] }, 'runtime_not_suited'],
    ['none that writes so', [plain], { outputStrategy: 'structured' }, 'runtime_not_suited'],
    ['none that is cheap enough', [able], { maxCostTier: 'low' }, 'runtime_not_suited'],
    ['only one that is down', [down], {}, 'runtime_offline'],
  ])('refuses %s', (_what, candidates, changes, code) => {
    expect(() => routeTask(candidates, wish(changes))).toThrow(expect.objectContaining({ code }));
  });

  it('says why', () => {
    expect(routeTask([plain, home], wish()).reasons).toEqual(['helper is deployed on home']);
  });
});
