import type { KnownSitesStore } from '../tools/known-sites.ts';
import type { KnownSites } from '../tools/sites-read.ts';
import type { Identity } from './peer.ts';

/** A client without a session is taken for one conversation until it was silent for this long. */
const IDLE_MS = 60 * 60_000;

export type ClientSites = ReturnType<typeof createClientSites>;

/**
 * Which sites' content a client's model has read: by session where there is one, else by client. Names that a client gives itself do not
 * count, so it cannot forget by taking another one.
 */
export function createClientSites(known: KnownSitesStore) {
  const clientOf = ({ clientId }: Identity): string => `mcp ${clientId ?? 'owner'}`;
  const conversationOf = (sessionId: string, identity: Identity) => ({
    id: `${clientOf(identity)} ${sessionId}`,
    client: clientOf(identity),
  });
  return {
    of: (sessionId: string | null, identity: Identity): KnownSites =>
      sessionId === null
        ? known.of({ id: clientOf(identity), client: null, idleMs: IDLE_MS })
        : known.of(conversationOf(sessionId, identity)),
    begin: (sessionId: string, identity: Identity): void => known.begin(conversationOf(sessionId, identity)),
    end: (sessionId: string, identity: Identity): void => known.end(conversationOf(sessionId, identity).id),
  };
}
