import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { ExecutionAdapter } from '../../adapter.ts';
import { COST_TIERS, GATEWAY_CAPABILITIES, OUTPUT_STRATEGIES } from '../../capabilities.ts';
import type { AdapterDeps } from '../../loading/registry.ts';

const METHODS = ['initialize', 'shutdown', 'checkHealth', 'capabilities', 'execute', 'cancel'] as const;
const LATENCIES = ['fast', 'moderate', 'variable'];

/** Loads an adapter from a module of the person's own: one that exports `createAdapter(deps)`, or a class as its default. */
export async function loadCustom(location: string | undefined, deps: AdapterDeps): Promise<ExecutionAdapter> {
  if (location === undefined)
    throw new ForgeError('invalid_config', 'CUSTOM_ADAPTER_MODULE must name the module of the custom adapter');
  // The module is not known when Forge is built.
  const module: unknown = await import(/* @vite-ignore */ specifierOf(location));
  const adapter = await make(module, deps);
  const problem = problemOf(adapter);
  if (problem !== null) throw new ForgeError('invalid_config', `${location} is not an adapter: ${problem}`);
  return adapter as ExecutionAdapter; // checked in the line above
}

/** A path is one on this computer; anything else is the name of a package. */
function specifierOf(location: string): string {
  return /^(\.{0,2}\/|[A-Za-z]:[\\/])/.test(location) ? pathToFileURL(path.resolve(location)).href : location;
}

function make(module: unknown, deps: AdapterDeps): unknown {
  if (!isRecord(module)) return null;
  const { createAdapter, default: Adapter } = module;
  // What comes of either is checked afterwards.
  if (typeof createAdapter === 'function') return (createAdapter as (deps: AdapterDeps) => unknown)(deps);
  return typeof Adapter === 'function' ? new (Adapter as new (deps: AdapterDeps) => unknown)(deps) : null;
}

function problemOf(adapter: unknown): string | null {
  if (typeof adapter !== 'object' || adapter === null)
    return 'it exports neither createAdapter nor a class as its default';
  const provider: unknown = Reflect.get(adapter, 'provider');
  if (typeof provider !== 'string' || !/^[a-z0-9][a-z0-9-]{0,59}$/.test(provider))
    return 'its provider must be a short name of small letters, digits and dashes';
  const missing = METHODS.filter((name) => typeof Reflect.get(adapter, name) !== 'function');
  if (missing.length > 0) return `it has no ${missing.join(', ')}`;
  const profile: unknown = (adapter as ExecutionAdapter).capabilities(); // it has the method
  return profileProblem(profile);
}

function profileProblem(profile: unknown): string | null {
  if (!isRecord(profile)) return 'capabilities() must return a profile';
  const { capabilities, nativeTools, maxConcurrent, outputStrategies, costTier, latencyProfile } = profile;
  if (!isListOf(capabilities, GATEWAY_CAPABILITIES))
    return `its capabilities must be of ${GATEWAY_CAPABILITIES.join(', ')}`;
  if (!Array.isArray(nativeTools)) return 'its nativeTools must be a list';
  if (typeof maxConcurrent !== 'number' || !(maxConcurrent >= 1)) return 'its maxConcurrent must be at least 1';
  if (!isListOf(outputStrategies, OUTPUT_STRATEGIES))
    return `its outputStrategies must be of ${OUTPUT_STRATEGIES.join(', ')}`;
  if (!isListOf([costTier], COST_TIERS)) return `its costTier must be one of ${COST_TIERS.join(', ')}`;
  return isListOf([latencyProfile], LATENCIES) ? null : `its latencyProfile must be one of ${LATENCIES.join(', ')}`;
}

function isListOf(value: unknown, words: readonly string[]): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string' && words.includes(entry));
}
