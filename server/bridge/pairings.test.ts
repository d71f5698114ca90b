import { describe, expect, it } from 'vitest';
import type { BrowserFacts } from './browsers.ts';
import { createPairings } from './pairings.ts';

const ORIGIN = `chrome-extension://${'a'.repeat(32)}`;
const facts = (digit: number): BrowserFacts => ({
  browser_id: String(digit).repeat(16),
  public_key: `public key ${digit}`,
  browser: 'Chrome',
  profile: '',
  platform: 'Linux',
  extension_version: '1.0.0',
  user_scripts: true,
  paused: false,
});

function world(codes: number[] = []) {
  let now = Date.UTC(2026, 0, 1);
  let ids = 0;
  const pairings = createPairings({
    now: () => now,
    newId: () => `brw_${(ids += 1)}`,
    ...(codes.length === 0 ? {} : { randomCode: () => codes.shift()! }),
  });
  return { pairings, advance: (ms: number) => (now += ms) };
}

describe('browsers that ask to be paired', () => {
  it('get a code of six digits that nobody else has', () => {
    const { pairings } = world([42, 42, 123456]);
    expect(pairings.open(ORIGIN, facts(1)).pairing.code).toBe('000 042');
    expect(pairings.open(ORIGIN, facts(2)).pairing.code).toBe('123 456');
  });

  it('keep their code when they ask again', () => {
    const { pairings } = world();
    const first = pairings.open(ORIGIN, facts(1)).pairing;
    const again = pairings.open(ORIGIN, { ...facts(1), paused: true }).pairing;
    expect(again).toEqual({ ...first, facts: { ...facts(1), paused: true } });
    expect(pairings.open('moz-extension://other', facts(1)).pairing.id).not.toBe(first.id);
    // Somebody else who uses its name gets a code of their own.
    expect(pairings.open(ORIGIN, { ...facts(1), public_key: 'other' }).pairing.id).not.toBe(first.id);
  });

  it('are forgotten after ten minutes', () => {
    const { pairings, advance } = world();
    const { id } = pairings.open(ORIGIN, facts(1)).pairing;
    advance(10 * 60_000 - 1);
    expect(pairings.has(id)).toBe(true);
    advance(1);
    expect(pairings.list()).toEqual([]);
    expect(() => pairings.take(id)).toThrow(expect.objectContaining({ code: 'browser_not_found' }));
  });

  it('are five at the most; the oldest makes room', () => {
    const { pairings } = world();
    for (let digit = 1; digit <= 5; digit += 1) expect(pairings.open(ORIGIN, facts(digit)).dropped).toEqual([]);
    expect(pairings.open(ORIGIN, facts(6)).dropped).toMatchObject([{ id: 'brw_1' }]);
    expect(pairings.list().map(({ id }) => id)).toEqual(['brw_2', 'brw_3', 'brw_4', 'brw_5', 'brw_6']);
  });

  it('can be taken once', () => {
    const { pairings } = world();
    const { id } = pairings.open(ORIGIN, facts(1)).pairing;
    expect(pairings.take(id).facts).toEqual(facts(1));
    expect(() => pairings.take(id)).toThrow();
  });
});

describe('tickets', () => {
  it('count once, and for two minutes', () => {
    const { pairings, advance } = world();
    const [used, late, fine] = [pairings.issueTicket(), pairings.issueTicket(), pairings.issueTicket()];
    const use = (ticket: string) => pairings.useTicket((one) => one === ticket);
    expect(use(used)).toBe(used);
    expect(use(used)).toBeNull();
    expect(use('guessed')).toBeNull();
    advance(2 * 60_000 - 1);
    expect(use(fine)).toBe(fine);
    advance(1);
    expect(use(late)).toBeNull();
  });
});
