import { describe, expect, it, onTestFinished } from 'vitest';
import path from 'node:path';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createBrowsers, nameOf, type BrowserFacts } from './browsers.ts';

const ORIGIN = `chrome-extension://${'a'.repeat(32)}`;
const FACTS: BrowserFacts = {
  browser_id: '0123456789abcdef',
  public_key: 'public key one',
  browser: 'Chrome 140',
  profile: 'Work',
  platform: 'Linux',
  extension_version: '1.0.0',
  user_scripts: true,
  paused: false,
};

async function world() {
  const db = await openDatabase(path.join(tempDir(), 'forge.db'));
  onTestFinished(() => db.close());
  let now = Date.UTC(2026, 0, 1);
  const browsers = createBrowsers({ db, now: () => now });
  return { db, browsers, later: () => (now += 1000) };
}

describe('paired browsers', () => {
  it('D-09 keeps what a browser says of itself, and the public half of its key', async () => {
    const { browsers } = await world();
    const browser = browsers.add(browsers.newId(), ORIGIN, FACTS);
    const { public_key: publicKey, ...facts } = FACTS;
    expect(browser).toMatchObject({ id: expect.stringMatching(/^brw_[0-9a-f]{16}$/), ...facts, origin: ORIGIN });
    expect(browser.name).toBe('Chrome 140 on Linux (Work)');
    expect(browsers.paired(ORIGIN, FACTS.browser_id)).toEqual({ browser, publicKey });
    expect(browsers.paired(`chrome-extension://${'b'.repeat(32)}`, FACTS.browser_id)).toBeNull();
    expect(browsers.paired(ORIGIN, 'f'.repeat(16))).toBeNull();
    expect(JSON.stringify(browsers.list())).not.toContain(publicKey);
  });

  it('keeps nothing of a hello beside the facts', async () => {
    const { db, browsers } = await world();
    const hello = { ...FACTS, signature: 'signature-canary', ticket_proof: 'ticket-canary', nonce: 'nonce-canary' };
    const browser = browsers.add(browsers.newId(), ORIGIN, hello);
    expect(JSON.stringify([browser, db.prepare('SELECT * FROM browsers').all()])).not.toContain('canary');
  });

  it('a browser that pairs again keeps its id and name, and its old key ends', async () => {
    const { browsers, later } = await world();
    const first = browsers.add('brw_1', ORIGIN, FACTS);
    browsers.rename('brw_1', 'Laptop');
    later();
    const second = browsers.add('brw_2', ORIGIN, { ...FACTS, public_key: 'public key two' });
    expect(second).toMatchObject({ id: 'brw_1', name: 'Laptop', created_at: first.created_at });
    expect(browsers.paired(ORIGIN, FACTS.browser_id)?.publicKey).toBe('public key two');
    expect(browsers.list()).toHaveLength(1);
    const other = browsers.add('brw_3', ORIGIN, {
      ...FACTS,
      browser_id: 'f'.repeat(16),
      public_key: 'public key three',
    });
    expect([other.id, browsers.list().length]).toEqual(['brw_3', 2]);
  });

  it('K-55 gives every browser a name of its own, and finds it by id or name', async () => {
    const { browsers } = await world();
    const names = ['a', 'b', 'c'].map(
      (letter) =>
        browsers.add(browsers.newId(), ORIGIN, { ...FACTS, browser_id: letter.repeat(16), public_key: letter }).name,
    );
    expect(names).toEqual([
      'Chrome 140 on Linux (Work)',
      'Chrome 140 on Linux (Work) 2',
      'Chrome 140 on Linux (Work) 3',
    ]);
    const [first] = browsers.list();
    expect(browsers.find(first!.id)).toEqual(first);
    expect(browsers.find('chrome 140 on linux (work)')).toEqual(first);
    expect(browsers.find('Chrome')).toBeNull();
  });

  it('renames, but never to a name that is taken or empty', async () => {
    const { browsers } = await world();
    browsers.add('brw_1', ORIGIN, FACTS);
    browsers.add('brw_2', ORIGIN, { ...FACTS, browser_id: 'b'.repeat(16), public_key: 'b' });
    browsers.rename('brw_2', 'Two');
    expect(browsers.rename('brw_1', ' Ana’s\tlaptop ').name).toBe('Ana’s laptop');
    expect(browsers.rename('brw_1', 'ANA’S LAPTOP').name).toBe('ANA’S LAPTOP');
    expect(() => browsers.rename('brw_1', 'TWO')).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(() => browsers.rename('brw_1', '\u0007\n ')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => browsers.rename('brw_9', 'x')).toThrow(expect.objectContaining({ code: 'browser_not_found' }));
  });

  it('notes what changes from one connection to the next', async () => {
    const { browsers, later } = await world();
    browsers.add('brw_1', ORIGIN, FACTS);
    later();
    const again = browsers.connected('brw_1', { ...FACTS, extension_version: '1.1.0', user_scripts: false });
    expect(again).toMatchObject({ extension_version: '1.1.0', user_scripts: false });
    expect(again.last_seen_at > again.created_at).toBe(true);
    browsers.changed('brw_1', { user_scripts: true, paused: true });
    expect(browsers.get('brw_1')).toMatchObject({ user_scripts: true, paused: true });
  });

  it('one that is back at once and has not changed is not written anew', async () => {
    const { browsers, later } = await world();
    const { last_seen_at } = browsers.add('brw_1', ORIGIN, FACTS);
    expect(browsers.connected('brw_1', FACTS).last_seen_at).toBe(last_seen_at);
    expect(browsers.connected('brw_1', { ...FACTS, paused: true })).toMatchObject({ paused: true });
    for (let second = 0; second < 60; second += 1) later();
    browsers.connected('brw_1', { ...FACTS, paused: true });
    expect(browsers.get('brw_1')?.last_seen_at).not.toBe(last_seen_at);
  });

  it('K-54 knows the origins of paired extensions, until the last of them is removed', async () => {
    const { browsers } = await world();
    expect(browsers.hasOrigin(ORIGIN)).toBe(false);
    browsers.add('brw_1', ORIGIN, FACTS);
    expect(browsers.hasOrigin(ORIGIN)).toBe(true);
    expect(browsers.hasOrigin(`${ORIGIN}/`)).toBe(false);
    browsers.remove('brw_1');
    expect(browsers.hasOrigin(ORIGIN)).toBe(false);
    expect(() => browsers.remove('brw_1')).toThrow(expect.objectContaining({ code: 'browser_not_found' }));
  });
});

describe('the name of a browser nobody has named', () => {
  it.each([
    [{ browser: 'Firefox', platform: 'macOS', profile: '' }, 'Firefox on macOS'],
    [{ browser: 'Firefox', platform: 'macOS', profile: 'Default' }, 'Firefox on macOS'],
    [{ browser: 'Chrome', platform: '', profile: 'Home' }, 'Chrome (Home)'],
    [{ browser: '', platform: '', profile: '' }, 'Browser'],
    [{ browser: 'a\u0000\u001b[31mb\u202ec', platform: 'x\ny', profile: '' }, 'a [31mb c on x y'],
    [{ browser: 'x'.repeat(200), platform: '', profile: '' }, 'x'.repeat(80)],
  ])('%j', (facts, name) => {
    expect(nameOf(facts)).toBe(name);
  });
});
