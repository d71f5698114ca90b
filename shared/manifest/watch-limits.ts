/** The bounds every watch keeps to, whatever its manifest says. */
export interface WatchLimits {
  minIntervalSec: number;
  defaultIntervalSec: number;
  maxPolls: number;
  defaultPolls: number;
  maxTimeoutSec: number;
  defaultTimeoutSec: number;
  /** From when it begins to poll to when it ends, waiting for a person included. */
  maxLifetimeSec: number;
  /** Failed polls in a row; enough to ride out a reboot. */
  maxErrors: number;
  /** Tools that are run one after the other, each because the one before has ended. */
  maxDepth: number;
  /** Watches at the same time. */
  maxActive: number;
}

export const WATCH_LIMITS: WatchLimits = {
  minIntervalSec: 30,
  defaultIntervalSec: 60,
  maxPolls: 500,
  defaultPolls: 60,
  maxTimeoutSec: 86_400,
  defaultTimeoutSec: 3600,
  maxLifetimeSec: 86_400,
  maxErrors: 10,
  maxDepth: 3,
  maxActive: 20,
};
