import { CLOSE } from '../../shared/bridge-close.ts';

/** Where the connection to the server stands, as the popup shows it. */
export type LinkState =
  /** Nothing is tried until the person acts. */
  | { kind: 'off'; reason: OffReason }
  | { kind: 'connecting'; failures: number }
  | { kind: 'pairing'; code: string; expiresAt: number }
  | { kind: 'ready'; name: string; serverVersion: string; ownPorts: readonly number[] };

/**
 * `refused`: the key was revoked, or a person said no. `expired`: nobody accepted in time. `replaced`: another copy of this profile
 * is connected. `outdated`: the two speak different protocols. `impostor`: who answers is not the Forge this browser is paired with.
 */
export type OffReason = 'refused' | 'expired' | 'replaced' | 'outdated' | 'impostor';

/** How far a socket was when it closed: nothing was said on it, hello was said, or a person was being asked. */
type Phase = 'new' | 'greeted' | 'pairing';

/** What a closed socket means for trying again, by the code the server closes it with; null is "try again". */
export function reasonToStop(closeCode: number, phase: Phase): OffReason | null {
  switch (closeCode) {
    case CLOSE.unauthorized:
      return 'refused';
    case CLOSE.silent:
      // A Forge that waits for the first word in silence speaks the protocol before this one.
      if (phase === 'new') return 'outdated';
      return phase === 'pairing' ? 'expired' : null;
    case CLOSE.replaced:
      return 'replaced';
    case CLOSE.protocol:
      return 'outdated';
    default:
      return null;
  }
}

/** What ends without the person doing anything in this browser. */
export function isPassing(reason: OffReason): boolean {
  return reason === 'impostor' || reason === 'outdated';
}
