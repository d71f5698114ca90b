import type { Settings } from '../settings.ts';

const NONE: readonly string[] = [];

/** Nobody has set up an instance of anything. */
export const NO_INSTANCES: Pick<Settings, 'instanceNames'> = { instanceNames: () => NONE };
