/** The revisions of the protocol that have sessions, the newest first; what came after them is served without. */
export const VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** The first revision without sessions. */
export const STATELESS_SINCE = '2026-07-28';
/** Clients that send no header with the revision mean this one. */
export const UNNAMED_VERSION = '2025-03-26';
/** Several messages in one request were possible until the revision after this one. */
const LAST_WITH_BATCHES = '2025-03-26';

/** The client's own revision where Forge knows it, else the newest one, which the client may then refuse. */
export function negotiateVersion(wanted: unknown): string {
  return VERSIONS.find((version) => version === wanted) ?? VERSIONS[0] ?? STATELESS_SINCE;
}

export function hasBatches(version: string): boolean {
  return version <= LAST_WITH_BATCHES;
}
