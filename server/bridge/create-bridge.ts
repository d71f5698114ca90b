import { randomInt } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Database } from '../store/sqlite.ts';
import { BridgeServer } from './bridge-server.ts';
import { createBrowsers, type Browsers } from './browsers.ts';
import { systemClock, type Clock } from './clock.ts';
import { createForwardApi } from './forward-api.ts';
import { createManagers, type Managers } from './managers.ts';
import { createPairings, type Pairings } from './pairings.ts';
import { InProcessRouter } from './router.ts';
import { createServerIdentity } from './server-identity.ts';

interface BridgeDeps {
  db: Database;
  log: Log;
  clock?: Clock;
  version: string;
  /** Where the key is kept that this Forge proves itself by. */
  keyFile: string;
  /** The port in use, known once the server listens. */
  port: () => number;
  /** Every port that Forge listens on; browsers run no tool there. */
  ownPorts: () => readonly number[];
  /** The owner's token, with which requests of a browser that may manage Forge are made. */
  token: () => string;
  /** Masks secrets in what browsers report. */
  redact: (text: string) => string;
  /** Told whenever there may be other browsers that ask to be paired than before. */
  onPending?: () => void;
}

/** Everything between Forge and the browsers. */
export interface Bridge {
  browsers: Browsers;
  pairings: Pairings;
  router: InProcessRouter;
  managers: Managers;
  server: BridgeServer;
}

/**
 * Puts the bridge together. An id is given out once, whichever socket it goes over, and never starts over: a browser may bring an
 * answer to a question that an earlier run of Forge has asked.
 */
export function createBridge({
  db,
  log,
  clock = systemClock,
  version,
  keyFile,
  port,
  ownPorts,
  token,
  redact,
  onPending = () => undefined,
}: BridgeDeps): Bridge {
  let lastId = randomInt(2 ** 47);
  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const now = () => clock.now();
  const browsers = createBrowsers({ db, now });
  const pairings = createPairings({ now, newId: () => browsers.newId() });
  const router = new InProcessRouter({ browsers, clock, nextId, redact });
  const identity = createServerIdentity(keyFile);
  const managers = createManagers(db);
  const forwardApi = createForwardApi({ port, token });
  const known = { browsers, pairings, identity, managers };
  const server = new BridgeServer({
    ...known,
    router,
    forwardApi,
    log,
    clock,
    version,
    port,
    ownPorts,
    nextId,
    onPending,
  });
  return { browsers, pairings, router, managers, server };
}
