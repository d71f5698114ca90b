import manifest from '../package.json' with { type: 'json' };

/** Filled in by the bundler: a hash of what was bundled. */
declare const FORGE_BUILD: string | undefined;

export const FORGE_VERSION: string = manifest.version;

/** Names the exact code that is running, for caches that must not outlive it. Unbundled code counts as new every time. */
export const BUILD_ID = typeof FORGE_BUILD === 'string' ? FORGE_BUILD : `unbundled-${process.pid}-${Date.now()}`;
