import { MAX_RUNNING } from '../../shared/bridge.ts';
import type { Said } from '../../shared/bridge-approvals.ts';
import { answerChallenge } from '../bridge/handshake.ts';
import { loadIdentity } from '../bridge/identity.ts';
import type { LinkState } from '../bridge/link-state.ts';
import { Link, type LinkDeps } from '../bridge/link.ts';
import { loadSaved, ownPortsOf, readServer, type Saved } from '../bridge/saved.ts';
import { systemClock as clock } from '../clock.ts';
import { describeBrowser, extensionOrigin, extensionVersion, onlyPort } from '../platform/browser.ts';
import { keyBox } from '../platform/key-box.ts';
import { logProblem } from '../platform/log.ts';
import { localStorage, onStored } from '../platform/storage.ts';
import type { UserScripts } from '../runner/run-script.ts';

interface SessionDeps extends Pick<LinkDeps, 'openSocket' | 'onRequest' | 'onNotification'> {
  userScripts: UserScripts;
  /** The calls under way: the server keeps waiting for them when a socket was lost. */
  running: () => string[];
  onChange: () => void;
}

const NOTHING_SAVED = { server: readServer(null, onlyPort), own_ports: [] };

/** This browser's connection to Forge and what it remembers for it. */
export function createSession({ userScripts, running, onChange, ...handlers }: SessionDeps) {
  let saved: Saved | null = null;
  let link: Link | null = null;
  const save = (changes: Partial<Saved>): void => {
    if (saved !== null) saved = { ...saved, ...changes };
    void localStorage.set(changes);
  };
  const address = (): string => addressOf(saved ?? NOTHING_SAVED);
  const isPaused = (): boolean => saved?.paused === true;
  const connect = (ticket: string | null): void => {
    // The person wants whoever is there now.
    save({ may_ask: true, ...(isImpostor(link?.state) ? { server_key: null } : {}) });
    link?.restart(ticket);
  };
  const tell = (): void => {
    link?.tell({ user_scripts: userScripts.isOn(), paused: isPaused() });
    onChange();
  };

  const apply = (changes: Record<string, unknown>, now: Saved): void => {
    if (typeof changes['label'] === 'string') saved = { ...now, label: changes['label'] };
    const server = readServer(changes['server'], onlyPort);
    if (!('server' in changes) || server.port === now.server.port) return;
    // Another port is another Forge.
    save({ server_key: null, server });
    connect(null);
  };
  let early: Record<string, unknown> = {};
  onStored((changes) => {
    if (saved === null) early = { ...early, ...changes };
    else apply(changes, saved);
  });

  return {
    /** Reads what was saved and connects, unless the last word was a no. */
    async begin(): Promise<void> {
      // Asked for at once, and waited for only when there is something to sign.
      const identity = loadIdentity(keyBox);
      const [loaded, browser] = await Promise.all([
        loadSaved(localStorage, newBrowserId, onlyPort),
        describeBrowser(),
        userScripts.check(),
      ]);
      saved = loaded;
      const now = (): Saved => saved ?? loaded;
      link = new Link({
        ...handlers,
        clock,
        address,
        isPaired: () => now().server_key !== null,
        answerChallenge: async (challenge, ticket) =>
          answerChallenge(challenge, {
            origin: extensionOrigin(),
            port: now().server.port,
            identity: await identity,
            serverKey: now().server_key,
            ticket,
            facts: { ...browser, ...factsOf(now(), running()), user_scripts: userScripts.isOn() },
          }),
        onPaired: ({ server_key }) => save({ server_key, may_ask: true }),
        onRefused: () => save({ server_key: null, may_ask: false }),
        onProblem: (error) => logProblem('the connection to Forge failed', error),
        onState: (state) => {
          if (state.kind === 'ready') save({ own_ports: state.ownPorts });
          onChange();
        },
      });
      if (loaded.server_key === null && !loaded.may_ask) link.rest('refused');
      else link.connectNow();
      // What was stored while it was being read may have come too late for the reading.
      apply(early, loaded);
    },
    connect,
    connectNow: (): void => link?.connectNow(),
    state: (): LinkState => link?.state ?? { kind: 'connecting', failures: 0 },
    address,
    ownPorts: (): readonly number[] => ownPortsOf(saved ?? NOTHING_SAVED),
    isPaused,
    setPaused(paused: boolean): void {
      save({ paused });
      tell();
    },
    /** Tells the server what a person says about a call. */
    say: (...said: Said): void => link?.say(...said),
    /** Tells the server and our pages what has changed. */
    tell,
  };
}

function addressOf({ server }: Pick<Saved, 'server'>): string {
  return `${server.host}:${server.port}`;
}

function isImpostor(state: LinkState | undefined): boolean {
  return state?.kind === 'off' && state.reason === 'impostor';
}

function factsOf({ browser_id, label, paused }: Saved, running: readonly string[]) {
  const extension_version = extensionVersion();
  return { browser_id, profile: label, extension_version, paused, running: running.slice(0, MAX_RUNNING) };
}

function newBrowserId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
