import { expect, it } from 'vitest';
import { addressSettings } from './address-settings.ts';
import { openSettings, pack } from './testing/settings.ts';

const TEST = "test: { request: { url: '{base_url}/me' } }";
const FLAT = pack('base_url: { label: Address }\nregion: {}', 'demo', TEST);

it.each([
  ['jira.example.com', 'such as https://jira.example.com'],
  ['jira.example.com/jira', 'such as https://jira.example.com/jira'],
  ['localhost:8080', 'such as https://localhost:8080'],
  ['ftp://a.test', 'such as https://service.example.com'],
  ['https://me@a.test', 'such as https://service.example.com'],
  ['https:/a.test', 'such as https://service.example.com'],
])('C-19 refuses to save %s as an address', async (value, hint) => {
  const { settings } = await openSettings();
  const save = settings.save(FLAT, { base_url: value });
  await expect(save).rejects.toThrow('Address (base_url) must be a full address that starts with https:// or http://');
  await expect(save).rejects.toThrow(hint);
  expect(settings.view(FLAT).revision).toBe(0);
});

it.each(['https://a.test', ' http://127.0.0.1:8080/ ', 'https://a.test/jira', '{connector:other.base_url}'])(
  'C-19 saves %s',
  async (value) => {
    const { settings } = await openSettings();
    expect((await settings.save(FLAT, { base_url: value, region: 'eu' })).values['base_url']).toBe(value);
  },
);

it('refuses one in a row, and one that is a secret without repeating it', async () => {
  const { settings } = await openSettings();
  const rows = pack('instances: { type: instances, fields: { name: {}, base_url: {} } }', 'rows', TEST);
  await expect(settings.save(rows, { instances: [{ name: 'a', base_url: 'a.test' }] })).rejects.toThrow(
    'such as https://a.test',
  );
  const hook = pack('base_url: { type: secret }', 'hook', TEST);
  await expect(settings.save(hook, { base_url: 'canary.test/hook' })).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('canary') as string }),
  );
});

it('knows them wherever an address begins with one', () => {
  const yaml = `host_match: '{site}/*'
auth: { type: bearer-token-exchange, exchange_url: '{settings.login}/x', api_token: x }
test: { request: { url: 'https://{host}/{region}' } }`;
  const found = addressSettings(pack('site: {}\nlogin: {}\nhost: {}\nregion: {}', 'demo', yaml));
  expect([...found].sort()).toEqual(['login', 'site']);
});
