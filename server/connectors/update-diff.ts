import { capabilitiesOf } from '../../shared/manifest/capabilities.ts';
import { diffCapabilities, type CapabilityDiff } from '../../shared/manifest/capability-diff.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';

export interface UpdateDiff extends CapabilityDiff {
  id: string;
  from_version: string | null;
  to_version: string;
}

/** What installing `next` over `current` would change in what the connector can reach and run. */
export function updateDiff(current: ConnectorPackage | null, next: ConnectorPackage): UpdateDiff {
  return {
    id: next.id,
    from_version: current?.version ?? null,
    to_version: next.version,
    ...diffCapabilities(current === null ? null : capabilitiesOf(current), capabilitiesOf(next)),
  };
}
