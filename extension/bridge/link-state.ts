import { CLOSE } from '../../shared/bridge-close.ts';

/** Where the connection to the server stands, as the popup shows it. */
export type LinkState =
  /** Nothing is tried until the person acts. */
  | { kind: 'off'; reason: OffReason }
  | { kind: 'connecting'; failures: number }
  | { kind: 'pairing'; code: string; expiresAt: number }
  | { kind: 'ready'; name: string; serverVersion: string };

/**
 * `refused`: the key was revoked, or a person said no. `expired`: nobody accepted in time. `replaced`: another copy of this profile
 * is connected. `outdated`: the two speak different protocols.
 */
export type OffReason = 'refused' | 'expired' | 'replaced' | 'outdated';

/** What a closed socket means for trying again, by the code the server closes it with; null is "try again". */
export function reasonToStop(closeCode: number, wasPairing: boolean): OffReason | null {
  switch (closeCode) {
    case CLOSE.unauthorized:
      return 'refused';
    case CLOSE.silent:
      return wasPairing ? 'expired' : null;
    case CLOSE.replaced:
      return 'replaced';
    case CLOSE.protocol:
      return 'outdated';
    default:
      return null;
  }
}
