import { describe, expect, it } from 'vitest';
import { openSettings, pack, reveal } from './testing/settings.ts';

const FLAT = pack(
  'base_url: { type: string, label: Base URL, required: true }\ntoken: { type: secret, label: Access token }',
);
const NESTED = pack(`instances:
  type: instances
  label: Servers
  required: true
  fields:
    name: { type: string, required: true }
    base_url: { type: string, required: true }
    api_token: { type: secret, required: true }
    inject_params:
      type: instances
      fields:
        name: { type: string, required: true }
        value: { type: secret, required: true }`);

describe('saving and reading', () => {
  it('C-22 D-06 keeps a secret sealed and gives back only a mark', async () => {
    const { settings, row } = await openSettings();
    const view = await settings.save(FLAT, { base_url: 'https://a.test', token: 'canary-4711' });
    expect(view.values).toEqual({
      base_url: 'https://a.test',
      token: { $secret: true, saved_at: '2026-01-02T03:04:05.000Z' },
    });
    expect(row('demo')).not.toContain('canary');
    expect(reveal(settings.resolve(FLAT, () => null))).toEqual({
      base_url: 'https://a.test',
      token: 'secret:canary-4711',
    });
  });

  it('C-20 keeps what is left out, keeps a secret by its mark, removes by null', async () => {
    const { settings } = await openSettings();
    await settings.save(FLAT, { base_url: 'https://a.test', token: 'one' });
    await settings.save(FLAT, { base_url: 'https://b.test', token: { $secret: true } });
    expect(reveal(settings.resolve(FLAT, () => null))).toEqual({ base_url: 'https://b.test', token: 'secret:one' });
    await settings.save(FLAT, { token: 'two' });
    expect(reveal(settings.resolve(FLAT, () => null))).toEqual({ base_url: 'https://b.test', token: 'secret:two' });
    const view = await settings.save(FLAT, { token: null });
    expect(view.values).toEqual({ base_url: 'https://b.test', token: null });
  });

  it('C-19 says which required fields are missing, by label', async () => {
    const { settings } = await openSettings();
    expect(settings.view(FLAT).missing).toEqual([{ path: 'base_url', label: 'Base URL', message: 'is required' }]);
    expect(settings.view(NESTED).missing).toEqual([
      { path: 'instances', label: 'Servers', message: 'needs at least one row' },
    ]);
  });

  it('saves nothing when one value is wrong', async () => {
    const { settings } = await openSettings();
    await settings.save(FLAT, { base_url: 'https://a.test' });
    await expect(settings.save(FLAT, { base_url: 'https://b.test', token: 5 })).rejects.toThrow(
      'Access token (token) must be text',
    );
    expect(settings.view(FLAT)).toMatchObject({ revision: 1, values: { base_url: 'https://a.test' } });
  });

  it('notices that somebody else saved in between', async () => {
    const { settings } = await openSettings();
    const { revision } = await settings.save(FLAT, { base_url: 'https://a.test' });
    await settings.save(FLAT, { base_url: 'https://b.test' }, revision);
    await expect(settings.save(FLAT, { base_url: 'https://c.test' }, revision)).rejects.toMatchObject({
      code: 'stale_revision',
    });
    expect(settings.view(FLAT).values['base_url']).toBe('https://b.test');
  });

  it('keeps a setting the manifest dropped until it is removed by name', async () => {
    const { settings } = await openSettings();
    const before = pack('old: { type: string }\nkept: { type: string }');
    const after = pack('kept: { type: string }');
    await settings.save(before, { old: 'x', kept: 'y' });
    expect(settings.view(after)).toMatchObject({ leftover: ['old'], values: { kept: 'y' } });
    await settings.save(after, { kept: 'z' });
    expect(settings.view(before).values).toEqual({ old: 'x', kept: 'z' });
    await expect(settings.save(after, { old: 'w' })).rejects.toThrow('can only be removed');
    await settings.save(after, { old: null });
    expect(settings.view(after).leftover).toEqual([]);
  });
});

describe('W-01 C-21 types of settings', () => {
  const ALL = pack(`s: { type: string }
n: { type: number }
i: { type: integer }
b: { type: boolean }
c: { type: select, options: [eu, us] }
j: { type: json }
o: { type: object }`);
  const good: [name: string, given: unknown, kept: unknown][] = [
    ['s', 'text', 'text'],
    ['s', 5, '5'],
    ['n', 1.5, 1.5],
    ['n', '1.5', 1.5],
    ['i', '7', 7],
    ['b', true, true],
    ['b', 'false', false],
    ['c', 'eu', 'eu'],
    ['j', [1, { a: 2 }], [1, { a: 2 }]],
    ['j', '{"a":1}', { a: 1 }],
    ['o', '{"a":1}', { a: 1 }],
  ];
  it.each(good)('%s takes %j', async (name, given, kept) => {
    const { settings } = await openSettings();
    expect((await settings.save(ALL, { [name]: given })).values[name]).toEqual(kept);
  });

  const bad: [name: string, given: unknown, message: RegExp][] = [
    ['s', ['x'], /must be text, not a list/],
    ['s', 'a\0b', /cannot be stored/],
    ['s', '\uD800', /cannot be stored/],
    ['s', 'x'.repeat(70_000), /longer than/],
    ['n', 'many', /must be a number/],
    ['n', '', /must be a number/],
    ['i', 1.5, /whole number/],
    ['b', 'yes', /true or false/],
    ['c', 'asia', /one of eu, us/],
    ['j', '{', /not valid JSON/],
    ['j', { $sealed: 'x' }, /\$sealed/],
    ['o', [1], /JSON object/],
    ['unknwon', 1, /not a setting/],
    ['__proto__', 1, /not a setting/],
  ];
  it.each(bad)('%s refuses %j', async (name, given, message) => {
    const { settings } = await openSettings();
    const values = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(given)}}`) as Record<string, unknown>;
    await expect(settings.save(ALL, values)).rejects.toThrow(message);
    expect(settings.view(ALL).revision).toBe(0);
  });

  it('takes a default where nothing is saved', async () => {
    const { settings } = await openSettings();
    const made = pack('region: { type: select, options: [eu, us], default: us }');
    expect(settings.resolve(made, () => null)).toEqual({ region: 'us' });
  });

  it('treats secret: true beside string as a secret', async () => {
    const { settings, row } = await openSettings();
    const made = pack('pat: { type: string, secret: true }');
    await settings.save(made, { pat: 'canary-1' });
    expect(row('demo')).not.toContain('canary');
    expect(settings.view(made).values['pat']).toMatchObject({ $secret: true });
  });

  it('refuses a line break in a token that is sent in a header, and allows one in a key that is not', async () => {
    const { settings } = await openSettings();
    const made = pack(
      'token: { type: secret, label: Token }\nkey: { type: secret }',
      'demo',
      "auth: { type: bearer, token: '{settings.token}' }\n",
    );
    await expect(settings.save(made, { token: 'abc\n' })).rejects.toThrow('Token (token) holds a line break');
    await expect(settings.save(made, { key: '-----BEGIN\nKEY-----\n' })).resolves.toMatchObject({ revision: 1 });
  });
});

describe('rows', () => {
  const ROWS = [
    {
      name: 'prod',
      base_url: 'https://p.test',
      api_token: 'canary-p',
      inject_params: [{ name: 'PAT', value: 'canary-n' }],
    },
    { name: 'stage', base_url: 'https://s.test', api_token: 'canary-s' },
  ];

  it('C-90 C-95 C-97 C-98 seals secrets in rows and in rows of rows', async () => {
    const { settings, row } = await openSettings();
    const view = await settings.save(NESTED, { instances: ROWS });
    expect(row('demo')).not.toContain('canary');
    expect(view.values['instances']).toMatchObject([
      { name: 'prod', api_token: { $secret: true }, inject_params: [{ name: 'PAT', value: { $secret: true } }] },
      { name: 'stage', api_token: { $secret: true } },
    ]);
    expect(reveal(settings.resolve(NESTED, () => null))).toEqual({
      instances: [
        {
          name: 'prod',
          base_url: 'https://p.test',
          api_token: 'secret:canary-p',
          inject_params: [{ name: 'PAT', value: 'secret:canary-n' }],
        },
        { name: 'stage', base_url: 'https://s.test', api_token: 'secret:canary-s', inject_params: [] },
      ],
    });
  });

  it('C-96 keeps secrets of rows that were reordered and renamed', async () => {
    const { settings } = await openSettings();
    const { values } = await settings.save(NESTED, { instances: ROWS });
    const [prod, stage] = values['instances'] as Record<string, unknown>[];
    await settings.save(NESTED, { instances: [stage, { ...prod, name: 'production' }] });
    const { instances } = reveal(settings.resolve(NESTED, () => null)) as { instances: Record<string, unknown>[] };
    expect(instances.map(({ name, api_token }) => [name, api_token])).toEqual([
      ['stage', 'secret:canary-s'],
      ['production', 'secret:canary-p'],
    ]);
  });

  it('C-96 finds the row by its name when no id is given', async () => {
    const { settings } = await openSettings();
    await settings.save(NESTED, { instances: ROWS });
    await settings.save(NESTED, {
      instances: [{ name: 'prod', base_url: 'https://new.test', api_token: { $secret: true } }],
    });
    const { instances } = reveal(settings.resolve(NESTED, () => null)) as { instances: Record<string, unknown>[] };
    expect(instances).toMatchObject([{ name: 'prod', base_url: 'https://new.test', api_token: 'secret:canary-p' }]);
  });

  it('does not hand one row’s secret to another', async () => {
    const { settings } = await openSettings();
    const { values } = await settings.save(NESTED, { instances: ROWS });
    const [prod] = values['instances'] as Record<string, unknown>[];
    const thief = { $id: 'made-up', name: 'thief', base_url: 'https://evil.test', api_token: { $secret: true } };
    await expect(settings.save(NESTED, { instances: [prod, thief] })).rejects.toThrow('has no saved value to keep');
    const twice = [prod, { ...prod, name: 'copy' }];
    await expect(settings.save(NESTED, { instances: twice })).rejects.toThrow('has no saved value to keep');
  });

  it('refuses rows that cannot be told apart, and things that are not rows', async () => {
    const { settings } = await openSettings();
    const row = { name: 'a', base_url: 'x', api_token: 'y' };
    await expect(settings.save(NESTED, { instances: [row, row] })).rejects.toThrow('two rows called "a"');
    await expect(settings.save(NESTED, { instances: [{ base_url: 'x' }] })).rejects.toThrow('row without a name');
    await expect(settings.save(NESTED, { instances: 'rows' })).rejects.toThrow('must be a list of rows');
    await expect(settings.save(NESTED, { instances: [1] })).rejects.toThrow('must be a list of rows');
    await expect(settings.save(NESTED, { instances: [{ ...row, colour: 'red' }] })).rejects.toThrow('not a setting');
    await expect(
      settings.save(NESTED, { instances: Array.from({ length: 201 }, (_, index) => ({ ...row, name: `n${index}` })) }),
    ).rejects.toThrow('the limit is 200');
    const long = [{ ...row, base_url: 'x'.repeat(70_000) }];
    for (const instances of [long, JSON.stringify(long)])
      await expect(settings.save(NESTED, { instances })).rejects.toThrow('is longer than 65536 characters');
    await expect(settings.save(NESTED, { instances: '[{"name": ' })).rejects.toThrow('is not valid JSON');
  });

  it('W-19 reads rows that were saved as JSON text', async () => {
    const { settings, db } = await openSettings();
    await settings.save(NESTED, {
      instances: JSON.stringify([{ name: 'a', base_url: 'https://a.test', api_token: 't' }]),
    });
    expect(reveal(settings.resolve(NESTED, () => null))).toMatchObject({
      instances: [{ name: 'a', api_token: 'secret:t' }],
    });
    const plain = pack('rows: { type: instances, fields: { name: {}, value: {} } }', 'other');
    db.prepare("INSERT INTO settings VALUES ('other', ?, 1, '')").run(
      JSON.stringify({ rows: '[{"name":"x","value":"y"}]' }),
    );
    expect(settings.resolve(plain, () => null)).toEqual({ rows: [{ name: 'x', value: 'y' }] });
  });
});

describe('a manifest that changes its mind about what is secret', () => {
  const plain = pack('token: { type: string }');
  const secret = pack('token: { type: secret }');

  it('seals a value that has become a secret', async () => {
    const { settings, row } = await openSettings();
    await settings.save(plain, { token: 'canary-c' });
    expect(row('demo')).toContain('canary-c');
    await settings.adopt(secret);
    expect(settings.view(secret).values['token']).toMatchObject({ $secret: true });
    expect(row('demo')).not.toContain('canary-c');
    expect(reveal(settings.resolve(secret, () => null))).toEqual({ token: 'secret:canary-c' });
  });

  it('never opens a secret for a field that no longer is one', async () => {
    const { settings } = await openSettings();
    await settings.save(secret, { token: 'canary-c' });
    expect(settings.view(plain).values).toEqual({ token: null });
    expect(settings.resolve(plain, () => null)).toEqual({});
  });
});
