import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintManifest } from '../../shared/manifest/lint.ts';
import { Secret } from '../../shared/secret.ts';
import { PROJECT_ROOT } from '../config.ts';
import type { BrowserJob } from '../runners/job.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { expandTool } from './expand-tool.ts';
import { packageOf, toolOf } from './testing/package.ts';

const SETTINGS = 'settings: { base_url: {}, username: {}, token: { type: secret } }';

function expand(
  rest: string,
  scope: Partial<CallScope> = {},
  { name = 't', secrets = 'reveal' }: { name?: string; secrets?: 'reveal' | 'mask' } = {},
) {
  const pack = rest.startsWith('id:') ? lintManifest(rest, { forgeVersion: '1.0.0' }).package! : packageOf(rest);
  const entry = { installed: null as never, package: pack, connector: pack.connectors[0]!, tool: toolOf(pack, name) };
  const full: CallScope = { settings: {}, args: {}, saved: new Set(Object.keys(scope.settings ?? {})), ...scope };
  const { job, hosts, auth } = expandTool(entry, full, {
    secrets,
    bareNames: bareNamesOf(pack),
    ownPorts: [8403, 6247, 9000],
  });
  expect(auth).toBeNull();
  return { job: job as BrowserJob, hosts };
}

describe('S1 Forge’s own page', () => {
  it.each([
    ['host_match', () => expand(tool('script: return 1', "host_match: 'http://localhost:9000/*'"))],
    ['host_match by a setting', () => expand(tool('script: return 1'), at('http://[::1]:6247'))],
    [
      'page.url',
      () =>
        expand(
          tool("page: { url: 'http://0x7f.1:9000/{args.q}' }, script: return 1"),
          at('https://a.test', { q: 'x' }),
        ),
    ],
    [
      'page.url by a setting',
      () =>
        expand(
          tool("page: { url: '{base_url}/x' }, script: return 1", "host_match: 'https://a.test/*'"),
          at('http://127.0.0.1:8403'),
        ),
    ],
    [
      'page.frame',
      () =>
        expand(
          tool("page: { frame: '{base_url}/*' }, script: return 1", "host_match: 'https://a.test/*'"),
          at('http://localhost.:8403'),
        ),
    ],
  ])('is refused as %s', (_, attempt) => {
    expect(attempt).toThrow(expect.objectContaining({ code: 'address_refused' }));
  });

  it('does not stand in the way of its neighbours', () => {
    expect(expand(tool('script: return 1'), at('http://127.0.0.1:8404')).job.acquire.host_match).toBe(
      'http://127.0.0.1:8404/*',
    );
    expect(expand(tool('script: return 1'), at('https://jira.test:8403')).job.acquire.host_match).toBe(
      'https://jira.test:8403/*',
    );
  });
});

const tool = (lines: string, top = "host_match: '{base_url}/*'") =>
  `${SETTINGS}\n${top}\ntools: { t: { description: Reads., parameters: { q: {}, n: { type: number } }, ${lines} } }`;
const at = (base_url: string, args: Record<string, unknown> = {}) => ({ settings: { base_url }, args });

describe('the JIRA sample', () => {
  const sample = readFileSync(path.join(PROJECT_ROOT, 'shared/manifest/fixtures/jira-sample.yaml'), 'utf8');
  const settings = { base_url: 'https://jira.acme.com/', token: new Secret('canary-token') };

  it('C-02 C-33 C-34 C-36 C-39 C-40 W-17 is filled in by the server, all of it', () => {
    const args = { status: 'open', limit: 25 };
    const { job, hosts } = expand(sample, { settings, args }, { name: 'list_my_issues' });
    expect(job).toEqual({
      protocol: 'browser',
      connector: 'jira',
      tool: 'list_my_issues',
      title: 'List JIRA issues assigned to me on jira.acme.com',
      acquire: {
        host_match: 'https://jira.acme.com/*',
        login_redirect: '/login.jsp',
        login_selector: null,
        logged_in_selector: null,
        url: 'https://jira.acme.com/issues/?jql=assignee=currentUser()',
        on_target: '/issues/',
        settle_ms: 0,
        tab_strategy: 'reuse',
      },
      runner: 'main',
      frame: null,
      script: expect.stringContaining('rows.slice(0, args.limit)'),
      args: '{"status":"open","limit":25}',
      settings: '{"base_url":"https://jira.acme.com/"}',
      timeoutMs: 60_000,
      mayJoin: true,
      look: 'page',
      expect: { ok_status: [], selector: null },
    });
    expect(hosts).toEqual([{ host: 'jira.acme.com', from: 'setting' }]);
  });

  it('C-35 C-41 C-42 W-16 leaves ${args.x} to JavaScript', () => {
    const args = { issue_key: 'DEV/1', text: 'hi' };
    const { job } = expand(sample, { settings, args }, { name: 'add_comment' });
    expect(job.acquire).toMatchObject({ url: 'https://jira.acme.com/browse/DEV%2F1', on_target: null });
    // The arguments decide which page it is, so nothing opens it before a person has seen them.
    expect(job.look).toBe('site');
    expect(job.script).toContain('`/rest/api/2/issue/${args.issue_key}/comment`');
    expect(job.script).toContain('{ _error: `HTTP ${r.status}: ${await r.text()}` }');
  });
});

describe('the tab', () => {
  it.each([
    ['fixed', "page: { url: '{base_url}/all' }, script: 'return 1;'", ['https://a.test/all', 'https://b.test/all']],
    [
      'named by the call',
      "page: { url: '{base_url}/{args.q}' }, script: 'return 1;'",
      ['https://a.test/2', 'https://b.test/3'],
    ],
  ])('W-17 a page that is %s is that of the settings and arguments as they are', (_, lines, [second, third]) => {
    const pack = packageOf(tool(lines));
    const entry = { installed: null as never, package: pack, connector: pack.connectors[0]!, tool: toolOf(pack, 't') };
    const open = (settings: CallScope['settings'], q: string) => {
      const scope = { settings, args: { q }, saved: new Set(['base_url']) };
      const { job, hosts } = expandTool(entry, scope, {
        secrets: 'reveal',
        bareNames: bareNamesOf(pack),
        ownPorts: [8403, 6247, 9000],
      });
      return [(job as BrowserJob).acquire.url, (job as BrowserJob).acquire.host_match, hosts[0]?.host];
    };
    const [a, b] = [{ base_url: 'https://a.test' }, { base_url: 'https://b.test' }];
    open(a, '1');
    expect(open(a, '2')).toEqual([second, 'https://a.test/*', 'a.test']);
    expect(open(b, '3')).toEqual([third, 'https://b.test/*', 'b.test']);
  });

  it.each([
    ['C-23 K-04 W-17', '{base_url}/*', 'https://h.test/', 'https://h.test/*'],
    ['C-23 W-18', '{settings.base_url}/*', 'http://localhost:8080', 'http://localhost:8080/*'],
    ['W-18', 'https://teams.test:8443/v2/*', '', 'https://teams.test:8443/v2/*'],
  ])('%s host_match %s with %s', (_id, host_match, base_url, wanted) => {
    expect(expand(tool('script: return 1', `host_match: '${host_match}'`), at(base_url)).job.acquire).toMatchObject({
      host_match: wanted,
      url: null,
      on_target: null,
    });
  });

  it('C-24 C-40 login_redirect takes settings', () => {
    const top = "host_match: '{base_url}/*'\nlogin_redirect: '{base_url}/login'";
    expect(expand(tool('script: return 1', top), at('https://h.test/')).job.acquire.login_redirect).toBe(
      'https://h.test/login',
    );
  });

  it('W-14 the test’s selector tells a call too that nobody is logged in', () => {
    const top = "host_match: '{base_url}/*'\ntest: { probe: browser, auth_required_selector: '#login' }";
    expect(expand(tool('script: return 1', top), at('https://h.test')).job.acquire.login_selector).toBe('#login');
  });

  it('C-24 the sign of a login is the tool’s own, else the connector’s, and an empty one is none', () => {
    const top = "host_match: '{base_url}/*'\nlogged_in_selector: '#me'";
    const signOf = (text: string) => expand(tool(text, top), at('https://h.test')).job.acquire.logged_in_selector;
    expect(signOf('script: return 1')).toBe('#me');
    expect(signOf("logged_in_selector: '#you', script: return 1")).toBe('#you');
    expect(signOf("logged_in_selector: '', script: return 1")).toBeNull();
    expect(expand(tool('script: return 1'), at('https://h.test')).job.acquire.logged_in_selector).toBeNull();
  });

  it('W-13 on_target and the address take arguments, and one that is missing is empty', () => {
    const page =
      "page: { url: '{base_url}/s?q={args.q}&n={args.n}', on_target: '/s?q={args.q}', settle_after_load_ms: 300 }";
    const { acquire } = expand(tool(`${page}, script: return 1`), at('https://h.test', { q: 'a b' })).job;
    expect(acquire).toMatchObject({ url: 'https://h.test/s?q=a%20b&n=', on_target: '/s?q=a b', settle_ms: 300 });
  });

  it('an on_target that comes out empty would match every page, and counts for nothing', () => {
    const { acquire } = expand(
      tool("page: { url: '{base_url}', on_target: '{args.q}' }, script: return 1"),
      at('https://h.test'),
    ).job;
    expect(acquire.on_target).toBeNull();
  });

  it.each(['reuse', 'ephemeral', 'persistent'])('W-12 tab_strategy %s', (strategy) => {
    expect(
      expand(tool(`tab_strategy: ${strategy}, script: return 1`), at('https://h.test')).job.acquire.tab_strategy,
    ).toBe(strategy);
  });

  it('runner, frame and timeout are the tool’s', () => {
    const { job } = expand(
      tool("runner: isolated, timeout_ms: 5000, page: { frame: '{base_url}/embed/*' }, script: return 1"),
      at('https://h.test/'),
    );
    expect(job).toMatchObject({ runner: 'isolated', timeoutMs: 5000, frame: 'https://h.test/embed/*' });
  });

  it.each([true, false])('destructive: %s decides whether it may end together with others', (destructive) => {
    const { job } = expand(tool(`destructive: ${destructive}, script: return 1`), at('https://h.test/'));
    expect(job.mayJoin).toBe(!destructive);
  });

  it('without host_match the page’s own site is meant; without both there is none', () => {
    expect(
      expand(tool("page: { url: '{base_url}/x' }, script: return 1", ''), at('https://h.test:81')).job.acquire
        .host_match,
    ).toBe('https://h.test:81/*');
    expect(() => expand(tool('script: return 1', ''), at('https://h.test'))).toThrow(
      expect.objectContaining({ code: 'invalid_manifest', hint: expect.stringContaining('host_match') }),
    );
  });

  it('a host that an argument names is the argument’s', () => {
    const { hosts } = expand(
      tool("page: { url: 'https://{args.q}/x' }, script: return 1"),
      at('https://h.test', { q: 'other.test' }),
    );
    expect(hosts).toEqual([{ host: 'other.test', from: 'argument' }]);
  });

  it.each([
    ["page: { url: '{base_url}/{args.q}' }", '../admin'],
    ["page: { url: 'https://{args.q}/' }", 'a/@evil.test'],
  ])('an argument cannot lead %s elsewhere', (page, q) => {
    expect(() => expand(tool(`${page}, script: return 1`), at('https://h.test', { q }))).toThrow(
      expect.objectContaining({ code: 'unsafe_value' }),
    );
  });
});

describe('the script', () => {
  it('K-04 K-05 C-40 C-42 W-16 settings and arguments stand escaped where they are written', () => {
    const { job } = expand(
      tool(
        `script: "const u = '{settings.username}', b = '{base_url}/x', q = '{args.q}'; if (q) {return} return {u, b}"`,
      ),
      { settings: { base_url: 'https://h.test/', username: "O'Neil\\" }, args: { q: "'; alert(1); '" } },
    );
    expect(job.script).toBe(
      "const u = 'O\\'Neil\\\\', b = 'https://h.test/x', q = '\\'; alert(1); \\''; if (q) {return} return {u, b}",
    );
  });

  it('C-43 receives the arguments, and the settings without the secrets', () => {
    const rows = [
      { name: 'prod', api_token: new Secret('canary-row'), inner: [{ value: new Secret('canary-deep'), name: 'x' }] },
    ];
    const { job } = expand(tool('script: return args'), {
      settings: { base_url: 'https://h.test', token: new Secret('canary-token'), rows },
      args: { q: 'a "quote"', n: 5, list: [1, { a: null }] },
    });
    expect(JSON.parse(job.args)).toEqual({ q: 'a "quote"', n: 5, list: [1, { a: null }] });
    expect(JSON.parse(job.settings)).toEqual({
      base_url: 'https://h.test',
      rows: [{ name: 'prod', inner: [{ name: 'x' }] }],
    });
    expect(JSON.stringify(job)).not.toContain('canary');
  });

  // The linter refuses these manifests, so the secret comes from a setting that refers to another connector's.
  it.each([
    ['host_match', tool('script: return 1', "host_match: '{username}/*'")],
    [
      'login_redirect',
      tool('script: return 1', "host_match: 'https://h.test/*'\nlogin_redirect: '/{settings.username}'"),
    ],
    ['page.url', tool("page: { url: '{base_url}/{settings.username}' }, script: return 1")],
    ['page.on_target', tool("page: { url: '{base_url}', on_target: '{username}' }, script: return 1")],
    ['page.frame', tool("page: { frame: '{username}' }, script: return 1")],
    ['script', tool(`script: "return '{settings.username}'"`)],
    ['script code', tool('script: "return [{settings.username}]"')],
  ])('K-05 C-23 a secret in %s is refused, in a dry run too', (_place, manifest) => {
    const settings = { base_url: 'https://h.test', username: new Secret('https://canary.test') };
    for (const secrets of ['reveal', 'mask'] as const) {
      let thrown: unknown;
      try {
        expand(manifest, { settings }, { secrets });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code: 'secret_not_allowed_here' });
      expect(String(thrown)).not.toContain('canary');
    }
  });
});
