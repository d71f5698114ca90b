import { expect, it } from 'vitest';
import { ForgeError } from '../../../shared/errors.ts';
import { OWNER, type Identity, type Peer } from '../peer.ts';
import { sitesInMemory } from '../../tools/sites-read.ts';
import { Exchange } from './exchange.ts';
import { createSessionStore } from './session-store.ts';

const ABOUT = {
  identity: OWNER,
  connectors: [],
  version: '2025-11-25',
  info: null,
  capabilities: null,
  sites: { of: () => sitesInMemory() },
  tell: () => ({ error: new ForgeError('internal', 'x'), json: '{}' }),
  // A method that ends only when it is told to.
  methods: {
    'tools/call': (_params: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<string>((resolve) =>
        signal.addEventListener('abort', () => resolve(JSON.stringify({ reason: String(signal.reason) }))),
      ),
  } as never,
};

function world(options: { maxSessions?: number; maxPerClient?: number; idleMs?: number } = {}) {
  const clock = { now: 0 };
  let next = 0;
  const sessions = createSessionStore({ ...options, now: () => clock.now, newId: () => `s${(next += 1)}` });
  return {
    clock,
    sessions,
    open: (identity: Identity = OWNER, more: object = {}) => sessions.open({ ...ABOUT, identity, ...more }),
  };
}

it('forgets sessions that were silent for long, but not those that listen', () => {
  const { clock, sessions, open } = world({ idleMs: 1000 });
  const [silent, listening, used] = [open(), open(), open()];
  listening.session.listen(() => undefined);
  clock.now = 900;
  expect(sessions.find(used.id, OWNER)).toBe(used.session);
  clock.now = 1000;
  open();
  expect(sessions.find(silent.id, OWNER)).toBeNull();
  expect(sessions.find(listening.id, OWNER)).toBe(listening.session);
  expect(sessions.find(used.id, OWNER)).toBe(used.session);
});

it('keeps so many and no more, those that were used last', () => {
  const { sessions, open } = world({ maxSessions: 3 });
  const ids = [open(), open(), open()].map(({ id }) => id);
  sessions.find(ids[0]!, OWNER);
  open();
  expect(ids.map((id) => sessions.find(id, OWNER) !== null)).toEqual([true, false, true]);
  expect(sessions.all()).toHaveLength(3);
});

it('lets a client that opens many lose its own, and nobody else’s', () => {
  const { sessions, open } = world({ maxPerClient: 2 });
  const client = { clientId: 'mcp_1', name: 'one' };
  const owners = open();
  const ids = [open(client), open(client), open(client)].map(({ id }) => id);
  expect(ids.map((id) => sessions.find(id, client) !== null)).toEqual([false, true, true]);
  expect(sessions.find(owners.id, OWNER)).toBe(owners.session);
});

it('stops a call whose client was gone before it began', async () => {
  const { open } = world();
  const methods = { 'tools/call': (_params: unknown, { signal }: Peer) => JSON.stringify(String(signal.reason)) };
  const { session } = open(OWNER, { methods: methods as never });
  const call = { kind: 'request' as const, id: 1, method: 'tools/call', params: {} };
  expect(await session.request(call, new Exchange(''), () => AbortSignal.abort('gone'))).toContain('"gone"');
});

it('gives a session to the client it belongs to only, and ends them all when that one is revoked', async () => {
  const { sessions, open } = world();
  const client = { clientId: 'mcp_1', name: 'one' };
  const { id, session } = open(client);
  const owners = open();
  expect(sessions.find(id, OWNER)).toBeNull();
  expect(sessions.find(owners.id, client)).toBeNull();
  expect(sessions.find(id, client)).toBe(session);
  const call = session.request(
    { kind: 'request', id: 1, method: 'tools/call', params: {} },
    new Exchange(''),
    () => new AbortController().signal,
  );
  sessions.endOf('mcp_1', new ForgeError('cancelled', 'this client was revoked'));
  expect(await call).toContain('this client was revoked');
  expect(sessions.find(id, client)).toBeNull();
  expect(sessions.find(owners.id, OWNER)).toBe(owners.session);
});
