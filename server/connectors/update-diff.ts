import type { CapabilityDiff } from '../../shared/manifest/capability-diff.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { AcceptedDefinitions } from './accepted-definitions.ts';
import type { Installed } from './catalog.ts';

export interface UpdateDiff extends CapabilityDiff {
  id: string;
  /** The installed version; null where nothing was accepted yet, so that everything is new to the person. */
  from_version: string | null;
  to_version: string;
}

/** What installing `next` over `current` would change in what was accepted. */
export function updateDiff(
  accepted: Pick<AcceptedDefinitions, 'diff' | 'has'>,
  current: Installed | null,
  next: ConnectorPackage,
): UpdateDiff {
  const diff = accepted.diff(current, next);
  const version = current?.package?.version ?? current?.installation?.version ?? null;
  return { id: next.id, from_version: accepted.has(next.id) ? version : null, to_version: next.version, ...diff };
}
