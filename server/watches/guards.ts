import type { AsyncBlock } from '../../shared/manifest/schema/tool.ts';
import type { WatchLimits } from '../../shared/manifest/watch-limits.ts';

/** How often a watch polls, and when it stops whatever comes back. */
export interface Guards {
  intervalMs: number;
  timeoutMs: number;
  lifetimeMs: number;
  maxPolls: number;
}

/** What a manifest asks for, within what every watch keeps to. */
export function guardsOf(block: AsyncBlock, limits: WatchLimits): Guards {
  const interval = Math.max(block.interval_sec ?? limits.defaultIntervalSec, limits.minIntervalSec);
  const timeout = Math.min(block.timeout_sec ?? limits.defaultTimeoutSec, limits.maxTimeoutSec);
  return {
    intervalMs: Math.round(interval * 1000),
    timeoutMs: Math.round(timeout * 1000),
    lifetimeMs: limits.maxLifetimeSec * 1000,
    maxPolls: Math.min(block.max_polls ?? limits.defaultPolls, limits.maxPolls),
  };
}
