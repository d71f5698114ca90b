import type { AdapterConfig } from './adapter.ts';

/** A variable of the environment as an adapter sees it; what is blank is not set. */
export function configText(config: AdapterConfig, name: string): string | undefined {
  const value = config[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
