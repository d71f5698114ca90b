/** What a runtime can do; adapters declare it themselves, and nobody keeps a list of who can do what. */
export const GATEWAY_CAPABILITIES = [
  'streaming',
  'session_resume',
  'file_io',
  'mcp_servers',
  'sandboxing',
  'subagents',
  'cost_tracking',
  'structured_output',
  'management',
  'native_tools',
] as const;

export type GatewayCapability = (typeof GATEWAY_CAPABILITIES)[number];

export const OUTPUT_STRATEGIES = ['file', 'stream', 'structured'] as const;

export type OutputStrategy = (typeof OUTPUT_STRATEGIES)[number];

export const COST_TIERS = ['low', 'medium', 'high'] as const;

export type CostTier = (typeof COST_TIERS)[number];

export interface GatewayCapabilityProfile {
  capabilities: GatewayCapability[];
  /** Tools the runtime brings along, such as "Read" or "Bash". */
  nativeTools: string[];
  maxConcurrent: number;
  outputStrategies: OutputStrategy[];
  costTier: CostTier;
  latencyProfile: 'fast' | 'moderate' | 'variable';
}

/** The only way to ask for a capability: a profile that is missing or malformed supports nothing. */
export function gatewaySupports(
  profile: { capabilities?: readonly string[] } | undefined | null,
  capability: string,
): boolean {
  if (!profile || !Array.isArray(profile.capabilities)) return false;
  return profile.capabilities.includes(capability);
}
