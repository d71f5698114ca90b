import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';

/** What Forge says of itself. */
export function serverInfo(version: string): Implementation {
  return { name: 'forge', title: 'Forge', version };
}

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: {},
  logging: {},
  completions: {},
} satisfies ServerCapabilities;
