import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';

/** What Forge says of itself. */
export function serverInfo(version: string): Implementation {
  return { name: 'forge', title: 'Forge', version };
}

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  // There is one prompt, and it stays. Left out, the SDK would promise to tell of changes.
  prompts: { listChanged: false },
  logging: {},
  completions: {},
} satisfies ServerCapabilities;
