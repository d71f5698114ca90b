/** The names of runtimes, whether or not this Forge has an adapter for each. */
export const RUNTIME_PROVIDERS = [
  'openclaw',
  'claude-agent-sdk',
  'vercel-ai',
  'langgraph',
  'convex-native',
  'gloo-ai',
  'hermes-agent',
  'acme-ai',
  'custom',
] as const;

export type RuntimeProvider = (typeof RUNTIME_PROVIDERS)[number];

export function isRuntimeProvider(name: string): name is RuntimeProvider {
  // The list is read as plain texts only to ask whether the name is in it.
  return (RUNTIME_PROVIDERS as readonly string[]).includes(name);
}
