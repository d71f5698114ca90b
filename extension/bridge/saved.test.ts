import { describe, expect, it } from 'vitest';
import { loadSaved, onlyPortIn, ownPortsOf, type Storage } from './saved.ts';

function storageOf(values: Record<string, unknown>): Storage & { values: Record<string, unknown> } {
  return {
    values,
    get: () => Promise.resolve(values),
    set: (changes) => {
      Object.assign(values, changes);
      return Promise.resolve();
    },
  };
}

const ID = 'a'.repeat(32);
const DEFAULTS = {
  browser_id: ID,
  server_key: null,
  server: { host: '127.0.0.1', port: 8403 },
  own_ports: [] as number[],
  paused: false,
  may_ask: true,
  label: '',
};

describe('S1 the ports that are Forge’s own', () => {
  it('are those it has by itself, the one of the socket, and those it has said', async () => {
    const read = async (stored: Record<string, unknown>) => ownPortsOf(await loadSaved(storageOf(stored), () => ID));
    expect(await read({})).toEqual([8403, 6247]);
    expect(await read({ server: { port: 9000 }, own_ports: [9000, 9001] })).toEqual([8403, 6247, 9000, 9001]);
    expect(await read({ own_ports: ['7000', 0, 70_000, null, 1.5] })).toEqual([8403, 6247]);
    expect(await read({ own_ports: 'all' })).toEqual([8403, 6247]);
  });
});

describe('what is remembered', () => {
  it('a first start makes an id and stores it', async () => {
    const storage = storageOf({});
    expect(await loadSaved(storage, () => ID)).toEqual(DEFAULTS);
    expect(storage.values).toEqual({ browser_id: ID });
  });

  it('everything is read back', async () => {
    const stored = {
      ...DEFAULTS,
      server_key: 'k',
      server: { host: '127.0.0.1', port: 9 },
      paused: true,
      may_ask: false,
      label: 'Work',
    };
    expect(await loadSaved(storageOf({ ...stored }), () => 'b'.repeat(32))).toEqual(stored);
  });

  it.each([
    [{ server: { host: 'evil.example', port: 1 } }, { server: { host: '127.0.0.1', port: 1 } }],
    [{ server: { port: 70_000 } }, { server: DEFAULTS.server }],
    [{ server: 'x' }, { server: DEFAULTS.server }],
    [
      { server_key: 7, paused: 'yes', may_ask: 0, label: 3 },
      { server_key: null, paused: false, may_ask: true, label: '' },
    ],
    [{ browser_id: '<script>' }, { browser_id: ID }],
  ])('damage in %j is repaired', async (stored, expected) => {
    expect(await loadSaved(storageOf(stored), () => ID)).toMatchObject(expected);
  });
});

describe('the port of a build', () => {
  it.each([
    ['connect-src ws://127.0.0.1:9000 http://127.0.0.1:9000', 9000],
    ['connect-src http://127.0.0.1:9000 ws://127.0.0.1:9000; base-uri', 9000],
    ['connect-src ws://127.0.0.1:* http://127.0.0.1:*', null],
    ['connect-src ws://127.0.0.1:99999', null],
    ['', null],
  ])('%s', (policy, port) => {
    expect(onlyPortIn(policy)).toBe(port);
  });

  it('counts more than a port that an earlier build has stored', async () => {
    const stored = storageOf({ server: { host: '127.0.0.1', port: 8403 } });
    expect((await loadSaved(stored, () => ID, 9000)).server.port).toBe(9000);
    expect((await loadSaved(stored, () => ID, null)).server.port).toBe(8403);
  });
});
