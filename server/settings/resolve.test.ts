import { describe, expect, it } from 'vitest';
import { openSettings, pack, reveal } from './testing/settings.ts';

const FLAT = pack(
  'base_url: { type: string, label: Base URL, required: true }\ntoken: { type: secret, label: Access token }',
);

describe('W-10 values that refer to another connector', () => {
  const gitlab = pack('token: { type: secret }\nhost: { type: string }', 'gitlab');
  const other = (id: string) => (id === 'gitlab' ? gitlab : null);

  it('takes the other connector’s value, and stays a secret when it is one', async () => {
    const { settings } = await openSettings();
    await settings.save(gitlab, { token: 'canary-g', host: 'g.test' });
    await settings.save(FLAT, { base_url: 'https://{connector:gitlab.host}/x', token: '{connector:gitlab.token}' });
    expect(reveal(settings.resolve(FLAT, other))).toEqual({ base_url: 'https://g.test/x', token: 'secret:canary-g' });
    await settings.save(FLAT, { base_url: 'https://x/{connector:gitlab.token}' });
    expect(reveal(settings.resolve(FLAT, other))).toMatchObject({ base_url: 'secret:https://x/canary-g' });
  });

  it('ignores a reference in a manifest’s default, which nobody saved', async () => {
    const { settings } = await openSettings();
    await settings.save(gitlab, { token: 'canary-g' });
    const thief = pack("base_url: { type: string, default: '{connector:gitlab.token}' }", 'thief');
    expect(settings.resolve(thief, other)).toEqual({ base_url: '{connector:gitlab.token}' });
  });

  it.each([
    ['{connector:nope.token}', /not installed/],
    ['{connector:gitlab.nope}', /no value/],
    ['{connector:gitlab.token}', /no value/],
  ])('tells what is wrong with %s', async (value, message) => {
    const { settings } = await openSettings();
    await settings.save(FLAT, { base_url: value });
    expect(() => settings.resolve(FLAT, other)).toThrow(message);
  });

  it('notices a circle', async () => {
    const { settings } = await openSettings();
    await settings.save(gitlab, { host: '{connector:demo.base_url}' });
    await settings.save(FLAT, { base_url: '{connector:gitlab.host}' });
    expect(() => settings.resolve(FLAT, (id) => (id === 'demo' ? FLAT : gitlab))).toThrow(/leads back to itself/);
  });
});
