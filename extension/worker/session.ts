import { BRIDGE_PROTOCOL } from '../../shared/bridge.ts';
import type { LinkState } from '../bridge/link-state.ts';
import { Link, type LinkDeps } from '../bridge/link.ts';
import { loadSaved, readServer, type Saved } from '../bridge/saved.ts';
import { systemClock as clock } from '../clock.ts';
import { describeBrowser, extensionVersion } from '../platform/browser.ts';
import { openSocket } from '../platform/socket.ts';
import { localStorage, onStored } from '../platform/storage.ts';
import type { UserScripts } from '../runner/run-script.ts';

interface SessionDeps extends Pick<LinkDeps, 'onRequest' | 'onNotification'> {
  userScripts: UserScripts;
  onChange: () => void;
}

/** This browser's connection to Forge and what it remembers for it. */
export function createSession({ userScripts, onChange, ...handlers }: SessionDeps) {
  let saved: Saved | null = null;
  let link: Link | null = null;
  const save = (changes: Partial<Saved>): void => {
    if (saved !== null) saved = { ...saved, ...changes };
    void localStorage.set(changes);
  };
  const address = (): string => {
    const { host, port } = saved?.server ?? readServer(null);
    return `${host}:${port}`;
  };
  const isPaused = (): boolean => saved?.paused === true;
  const connect = (ticket: string | null): void => {
    save({ may_ask: true });
    link?.restart(ticket);
  };
  const tell = (): void => {
    link?.tell({ user_scripts: userScripts.isOn(), paused: isPaused() });
    onChange();
  };

  const apply = (changes: Record<string, unknown>, now: Saved): void => {
    if (typeof changes['label'] === 'string') saved = { ...now, label: changes['label'] };
    const server = readServer(changes['server']);
    if (!('server' in changes) || server.port === now.server.port) return;
    // A key belongs to the server that gave it.
    save({ key: null, server });
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
      const [loaded, browser] = await Promise.all([
        loadSaved(localStorage, newBrowserId),
        describeBrowser(),
        userScripts.check(),
      ]);
      saved = loaded;
      const now = (): Saved => saved ?? loaded;
      link = new Link({
        ...handlers,
        openSocket,
        clock,
        address,
        key: () => now().key,
        hello: () => ({
          ...browser,
          protocol: BRIDGE_PROTOCOL,
          browser_id: now().browser_id,
          profile: now().label,
          extension_version: extensionVersion(),
          user_scripts: userScripts.isOn(),
          paused: now().paused,
        }),
        onPaired: ({ key }) => save({ key, may_ask: true }),
        onRefused: () => save({ key: null, may_ask: false }),
        onState: onChange,
      });
      if (loaded.key === null && !loaded.may_ask) link.rest('refused');
      else link.connectNow();
      // What was stored while it was being read may have come too late for the reading.
      apply(early, loaded);
    },
    connect,
    connectNow: (): void => link?.connectNow(),
    state: (): LinkState => link?.state ?? { kind: 'connecting', failures: 0 },
    address,
    isPaused,
    setPaused(paused: boolean): void {
      save({ paused });
      tell();
    },
    /** Tells the server and our pages what has changed. */
    tell,
  };
}

function newBrowserId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
