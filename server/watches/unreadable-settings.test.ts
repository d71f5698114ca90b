import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import type { Channel } from './channels/channel.ts';
import type { Report } from './reports.ts';
import { lightWorld } from './testing/light-world.ts';

const POLL = `poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_fail: { message: 'Stopped.' }`;
const CHAINED = `{ ${POLL}, on_done: { mode: tool, tool: log, message: 'Noted.' } }`;

/** A channel whose settings are sealed with a key that is not there, until it is. */
function sealedChannel() {
  const sent: string[] = [];
  const keychain = { isLocked: true, isWanted: true };
  const channel: Channel = {
    name: 'webhook',
    retryMs: [60_000, 600_000],
    takes: () => {
      if (keychain.isLocked) throw new ForgeError('secrets_unreadable', 'secrets cannot be read: the key does not fit');
      return keychain.isWanted;
    },
    send: ({ text }) => {
      sent.push(text);
      return Promise.resolve();
    },
  };
  return { channels: [channel], keychain, sent };
}

describe('a channel whose settings cannot be read', () => {
  const guards: [string, string, string, number][] = [
    ['C-130 max_polls', `{ ${POLL}, interval_sec: 60, max_polls: 3 }`, 'max_polls', 180],
    ['C-129 the deadline', `{ ${POLL}, interval_sec: 60, timeout_sec: 150 }`, 'timeout', 150],
  ];
  it.each(guards)('%s ends a watch all the same, and its report waits', async (_title, block, code, sec) => {
    const { channels, keychain, sent } = sealedChannel();
    const world = await lightWorld(block, { channels });
    const id = world.begin();
    await world.pass(sec);
    const { watch, reports } = world.watches().get(id);
    expect(watch).toMatchObject({ state: 'failed', reason: { code }, pollCount: 3 });
    expect(reports).toMatchObject([
      {
        text: 'Stopped.',
        deliveries: [{ state: 'waiting', problem: expect.stringContaining('the key does not fit') }],
      },
    ]);
    keychain.isLocked = false;
    await world.pass(3600);
    expect(sent).toEqual(['Stopped.']);
    expect(world.calls).toBe(3);
  });

  it('tells once that a watch waits', async () => {
    const { channels } = sealedChannel();
    const world = await lightWorld(`{ ${POLL} }`, {
      channels,
      call: () => new ForgeError('secrets_unreadable', 'secrets cannot be read'),
    });
    const id = world.begin();
    await world.pass(600);
    expect(world.watches().get(id)).toMatchObject({ watch: { state: 'parked' }, reports: [{ kind: 'parked' }] });
  });

  it('is left alone once it turns out that it was never wanted', async () => {
    const { channels, keychain, sent } = sealedChannel();
    keychain.isWanted = false;
    const world = await lightWorld(`{ ${POLL}, max_polls: 1 }`, { channels });
    const id = world.begin();
    await world.pass(60);
    keychain.isLocked = false;
    await world.pass(3600);
    expect(world.watches().get(id).reports).toMatchObject([{ deliveries: [] }]);
    expect(sent).toEqual([]);
  });

  it('does not keep a watch from ending whose tool has run', async () => {
    const { channels } = sealedChannel();
    const world = await lightWorld(CHAINED, { channels, call: () => ({ done: true }) });
    const id = world.begin();
    await world.pass(60);
    expect(world.watches().get(id)).toMatchObject({ watch: { state: 'done' }, reports: [{ text: 'Noted.' }] });
  });
});

/** A conversation that takes nothing for a while, as a full disk would have it. */
function stubborn() {
  const taken: string[] = [];
  const place = { isFull: true };
  const onReport = ({ text, words }: Report): void => {
    if (place.isFull) throw new Error('the disk is full');
    taken.push(words ?? text);
  };
  return { onReport, taken, place };
}

describe('a report that cannot be written down', () => {
  it('C-131 is written later, and the chained tool is not run again for it', async () => {
    const { onReport, taken, place } = stubborn();
    const world = await lightWorld(CHAINED, { onReport, call: () => ({ done: true }) });
    const id = world.begin();
    await world.pass(60);
    expect(world.watches().get(id).watch).toMatchObject({ state: 'acting', action: { status: 'running' } });
    place.isFull = false;
    await world.pass(60);
    expect(world.watches().get(id)).toMatchObject({ watch: { state: 'done' }, reports: [{ text: 'Noted.' }] });
    expect(taken).toEqual(['Noted.']);
    expect(world.calls).toBe(2);
    expect(world.logLines.join()).toContain('it is tried again');
  });

  it('keeps neither Forge from starting nor other watches from going on', async () => {
    const { onReport, taken, place } = stubborn();
    const world = await lightWorld(CHAINED, { onReport, call: () => ({ done: true }) });
    const stuck = world.begin();
    await world.pass(60);
    const other = world.begin();
    await world.restart();
    expect(world.watches().get(stuck).watch).toMatchObject({ state: 'acting', action: { status: 'running' } });
    place.isFull = false;
    await world.pass(120);
    expect(world.watches().get(stuck).watch).toMatchObject({ state: 'failed', reason: { code: 'unknown' } });
    expect(world.watches().get(other).watch.state).toBe('done');
    expect(taken).toHaveLength(2);
  });

  it('goes out in the words that a model has found once', async () => {
    const { onReport, taken, place } = stubborn();
    let asked = 0;
    const reporter = { canSpeak: () => true, words: () => Promise.resolve(`In my words, take ${(asked += 1)}.`) };
    const world = await lightWorld(`{ ${POLL} }`, { onReport, reporter, call: () => ({ done: true }) });
    world.begin({ id: 'j1' }, {}, { sessionId: 'sess_a' });
    await world.pass(300);
    expect(world.watches().reports('sess_a')).toEqual([]);
    place.isFull = false;
    await world.pass(60);
    expect(taken).toEqual(['In my words, take 1.']);
    expect(world.watches().reports('sess_a')).toMatchObject([{ state: 'ready' }]);
  });
});

it('a row that cannot be read is looked at again later', async () => {
  const world = await lightWorld(`{ ${POLL} }`, { call: () => ({ done: true }) });
  const id = world.begin();
  world.db.exec('ALTER TABLE watches RENAME TO elsewhere');
  await world.pass(60);
  expect([world.calls, world.logLines]).toEqual([0, [expect.stringContaining('it is tried again')]]);
  world.db.exec('ALTER TABLE elsewhere RENAME TO watches');
  await world.pass(60);
  expect(world.watches().get(id).watch.state).toBe('done');
});
