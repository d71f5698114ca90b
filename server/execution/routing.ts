import { ForgeError } from '../../shared/errors.ts';
import type { AdapterHealthStatus } from './adapter.ts';
import {
  COST_TIERS,
  gatewaySupports,
  type CostTier,
  type GatewayCapability,
  type GatewayCapabilityProfile,
  type OutputStrategy,
} from './capabilities.ts';

/** A runtime that may get the task. */
export interface Candidate {
  provider: string;
  profile: GatewayCapabilityProfile;
  health: AdapterHealthStatus;
  /** Agents that are deployed on it. */
  agents: readonly string[];
}

/** What the task says about where it wants to run. */
export interface RoutingWish {
  agentId: string;
  /** Layer 0: this one, and no other. */
  gateway?: string | undefined;
  /** Layer 1. */
  requires?: readonly GatewayCapability[] | undefined;
  outputStrategy?: OutputStrategy | undefined;
  /** Layer 2: runtimes in order of preference, and what is too expensive. */
  prefers?: readonly string[] | undefined;
  maxCostTier?: CostTier | undefined;
}

export interface Routed {
  provider: string;
  /** One sentence for each layer that had something to say. */
  reasons: string[];
}

const HEALTH_RANK: Record<AdapterHealthStatus, number> = { healthy: 0, degraded: 1, offline: 2 };

/** Five layers, each within what the one before has left: pinned, capable, preferred, deployed, healthy. */
export function routeTask(candidates: readonly Candidate[], wish: RoutingWish): Routed {
  const reasons: string[] = [];
  const pinned = pin(candidates, wish, reasons);
  const capable = keepCapable(pinned, wish);
  const affordable = keepAffordable(capable, wish);
  const preferred = prefer(affordable, wish, reasons);
  const deployed = preferDeployed(preferred, wish, reasons);
  // A runtime that is down is passed over wherever another one could do it, liked better or not.
  const [best] = rank(deployed.filter(isUp).length > 0 ? deployed : affordable);
  if (best === undefined) throw new ForgeError('runtime_not_found', 'no runtime is loaded');
  if (!isUp(best))
    throw new ForgeError('runtime_offline', `${best.provider} is offline`, {
      hint: 'Start it, or check its settings; GET /api/v2/gateways shows the state of each.',
    });
  return { provider: best.provider, reasons };
}

function pin(all: readonly Candidate[], { gateway }: RoutingWish, reasons: string[]): readonly Candidate[] {
  if (gateway === undefined) return all;
  const found = all.filter(({ provider }) => provider === gateway);
  if (found.length === 0)
    throw new ForgeError('runtime_not_found', `${JSON.stringify(gateway.slice(0, 80))} is not loaded`);
  reasons.push(`pinned to ${gateway}`);
  return found;
}

function keepCapable(all: readonly Candidate[], { requires = [], outputStrategy }: RoutingWish): readonly Candidate[] {
  const capable = all.filter(
    ({ profile }) =>
      requires.every((capability) => gatewaySupports(profile, capability)) &&
      (outputStrategy === undefined || profile.outputStrategies.includes(outputStrategy)),
  );
  if (capable.length > 0 || all.length === 0) return capable;
  const wanted = [...requires, ...(outputStrategy === undefined ? [] : [`output as ${outputStrategy}`])].join(', ');
  throw new ForgeError('runtime_not_suited', `no runtime that may be used can do this: ${wanted}`);
}

function keepAffordable(all: readonly Candidate[], { maxCostTier }: RoutingWish): readonly Candidate[] {
  if (maxCostTier === undefined) return all;
  const limit = COST_TIERS.indexOf(maxCostTier);
  const affordable = all.filter(({ profile }) => COST_TIERS.indexOf(profile.costTier) <= limit);
  if (affordable.length > 0) return affordable;
  throw new ForgeError('runtime_not_suited', `no runtime that can do this costs ${maxCostTier} or less`);
}

/** Named ones before others; without names, the order in which they were loaded. */
function prefer(all: readonly Candidate[], { prefers = [] }: RoutingWish, reasons: string[]): readonly Candidate[] {
  for (const name of prefers) {
    const found = all.filter((candidate) => candidate.provider === name && isUp(candidate));
    if (found.length === 0) continue;
    reasons.push(`prefers ${name}`);
    return found;
  }
  return all;
}

function preferDeployed(all: readonly Candidate[], { agentId }: RoutingWish, reasons: string[]): readonly Candidate[] {
  const deployed = all.filter(({ agents }) => agents.includes(agentId));
  if (deployed.length === 0 || deployed.length === all.length) return all;
  reasons.push(`${agentId} is deployed on ${deployed.map(({ provider }) => provider).join(', ')}`);
  return deployed;
}

/** A stable sort: among equals the one that was loaded first. */
function rank(all: readonly Candidate[]): Candidate[] {
  return all.toSorted((a, b) => HEALTH_RANK[a.health] - HEALTH_RANK[b.health]);
}

function isUp({ health }: Candidate): boolean {
  return health !== 'offline';
}
