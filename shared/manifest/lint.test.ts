import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderDiagnostic } from './render-diagnostic.ts';
import { findings, HEAD, lint, TOOL, withSettings, withTool } from './testing/lint.ts';

describe('a manifest that is fine', () => {
  it('C-39 accepts the JIRA sample without a finding', () => {
    const text = readFileSync(path.join(import.meta.dirname, 'fixtures/jira-sample.yaml'), 'utf8');
    expect(findings(text)).toEqual([]);
    expect(Object.keys(lint(text).package?.connectors[0]?.tools ?? {})).toEqual(['list_my_issues', 'add_comment']);
  });

  it('accepts a small http connector without a finding', () => {
    expect(findings(HEAD + TOOL)).toEqual([]);
  });
});

describe('errors and warnings, each at its place', () => {
  const table: [title: string, yaml: string, wanted: string][] = [
    ['C-10 needs an id', HEAD.replace('id: demo\n', '') + TOOL, 'error required 1:1 the manifest needs `id`'],
    ['C-10 needs a name', HEAD.replace('name: Demo\n', '') + TOOL, 'error required 1:1 the manifest needs `name`'],
    [
      'C-12 wants the name as text',
      HEAD.replace('name: Demo', 'name: [a]') + TOOL,
      'error type 2:7 `name` must be text, not a list',
    ],
    ['C-10 C-27 needs tools or connectors', HEAD, 'error required 1:1 the manifest needs `tools` or `connectors`'],
    [
      'C-14 wants the version as text',
      HEAD.replace('"0.1.0"', '0.1') + TOOL,
      'error type 3:10 `version` must be text, not 0.1',
    ],
    [
      'C-14 wants a version that can be compared',
      HEAD.replace('0.1.0', 'soon') + TOOL,
      'error version 3:11 `soon` is not a version',
    ],
    [
      'K-02 C-11 refuses capitals in the id',
      HEAD.replace('id: demo', 'id: Demo') + TOOL,
      'error pattern 1:5 `id` must be 1 to 64 lowercase letters',
    ],
    [
      'K-02 refuses a path as the id',
      HEAD.replace('id: demo', 'id: ../x') + TOOL,
      'error pattern 1:5 `id` must be 1 to 64 lowercase letters',
    ],
    [
      'K-02 refuses an id of 200 characters',
      HEAD.replace('id: demo', `id: ${'a'.repeat(200)}`) + TOOL,
      'error pattern 1:5 `id` must be 1 to 64',
    ],
    [
      'K-02 refuses the name of a device',
      HEAD.replace('id: demo', 'id: con') + TOOL,
      'error id 1:5 `con` is a device name',
    ],
    [
      'refuses a word of the API as the id',
      HEAD.replace('id: demo', 'id: marketplace') + TOOL,
      'error id 1:5 `marketplace` is a word of the API',
    ],
    ['C-13 wants the icon as text', `${HEAD}icon: {}\n${TOOL}`, 'error type 5:7 `icon` must be text, not a map'],
    [
      'C-15 wants the author as text',
      `${HEAD}author: [me]\n${TOOL}`,
      'error type 5:9 `author` must be text, not a list',
    ],
    [
      'C-17 K-03 tells about a Forge that is too old',
      `${HEAD}min_forge_version: "9.0.0"\n${TOOL}`,
      'warning min-forge-version 5:21 this Forge is 1.0.0; the connector needs 9.0.0',
    ],
    [
      'C-18 knows two runners',
      `${HEAD}runner: sandbox\n${TOOL}`,
      'error enum 5:9 `runner` cannot be "sandbox"; use one of main, isolated',
    ],
    [
      'W-01 warns about an unknown key and guesses',
      HEAD.replace('description', 'desciption') + TOOL,
      'warning unknown-key 4:1 unknown key `desciption`, did you mean `description`?',
    ],
    [
      'W-01 warns about an unknown key in a tool',
      withTool('protocol: http\nreqest: {}\nrequest: { url: "https://a.test" }'),
      'warning unknown-key 9:5 unknown key `reqest` in `tools.t`, did you mean `request`?',
    ],
    [
      'K-01 refuses tools beside connectors',
      `${HEAD}connectors: [{ id: a, name: A, tools: {} }]\n${TOOL}`,
      'error bundle 5:1 a manifest has either `tools` or `connectors`, not both',
    ],
    [
      'K-01 refuses two parts of one id',
      `${HEAD}connectors:\n  - { id: a, name: A, tools: { t: { protocol: shell, description: d, command: [ls] } } }\n  - { id: a, name: B, tools: { t: { protocol: shell, description: d, command: [ls] } } }\n`,
      'error bundle 7:11 two connectors of this bundle are called `a`',
    ],
    ['C-119 refuses an empty list of tools', `${HEAD}tools: {}\n`, 'error tools 5:8 `demo` has no tool'],
    [
      'C-119 warns about a missing description',
      HEAD.replace(/description.*\n/, '') + TOOL,
      'warning description 1:1 the description should tell a stranger',
    ],
    [
      'C-119 warns about browser tools without host_match',
      withTool('script: return 1'),
      'warning host-match 1:1 browser tools without `host_match`',
    ],
    [
      'C-24 C-119 warns about browser tools without login_redirect',
      withTool('script: return 1'),
      'warning login-redirect 1:1 browser tools without `login_redirect`',
    ],
    [
      'C-119 warns about a secret that is not typed as one',
      withSettings('api_token: { type: string }'),
      'warning secret-type 6:22 `api_token` looks like a secret',
    ],
    [
      'C-28 warns about a tool without a description',
      `${HEAD}tools:\n  t: { protocol: shell, command: [ls] }\n`,
      'warning description 6:3 the tool `t` has no description',
    ],
    [
      'C-21 knows the types of settings',
      withSettings('a: { type: strnig }'),
      'error enum 6:14 `settings.a.type` cannot be "strnig", did you mean `string`?',
    ],
    [
      'C-20 C-90 wants columns for rows',
      withSettings('a: { type: instances }'),
      'error required 6:6 `settings.a` needs `fields`',
    ],
    [
      'C-91 wants rows that can be picked by name',
      withSettings('instances:\n  type: instances\n  fields: { url: { type: string } }'),
      'error instances 8:13 the rows of `instances` need a `name` field',
    ],
    [
      'W-01 wants options for a select',
      withSettings('a: { type: select }'),
      'error required 6:6 `settings.a` needs `options`',
    ],
    [
      'W-01 wants a default that is an option',
      withSettings('a: { type: select, options: [x], default: y }'),
      'error default 6:45 the default of `a` is not one of its options',
    ],
    [
      'refuses a secret with a default',
      withSettings('a: { type: secret, default: hunter2 }'),
      'error secret-default 6:31 the secret `a` has a default that anybody can read',
    ],
  ];
  it.each(table)('%s', (_title, yaml, wanted) => {
    expect(findings(yaml)).toContainEqual(expect.stringContaining(wanted));
  });
});

describe('what wild manifests do', () => {
  it('W-01 takes the keys and types seen in use without a finding', () => {
    const yaml = `${HEAD}category: ci
mode: server-side
catalog_summary: Builds and jobs.
http: { verify_tls: false }
tab_strategy: ephemeral
kanban: { anything: [1, 2] }
settings:
  retries: { type: number, default: 3 }
  verbose: { type: boolean, default: false }
  region: { type: select, options: [eu, us], default: eu }
  extra: { type: object }
  pat: { type: string, secret: true }
tools:
  build:
    description: Start a build.
    returns: The queue item.
    items_path: result.items
    response_fields: [id, name]
    protocol: http
    parameters:
      dry: { type: boolean, label: Dry run, help: Nothing is built. }
      n: { type: integer, default: 3 }
      o: { type: object }
      a: { type: array }
    request: { url: 'https://ci.test/{settings.region}', query: { n: '{args.n}', d: '{args.dry}' } }
  run:
    description: Run it.
    protocol: shell
    command: [echo, hi]
    env: { LANG: C }
`;
    expect(findings(yaml)).toEqual([]);
  });

  it('W-01 ignores runtime with a warning', () => {
    expect(findings(`${HEAD}runtime: node\n${TOOL}`)).toEqual([
      'warning ignored-key 5:1 `runtime` has no effect in Forge',
    ]);
  });

  it('C-10 tells apart errors, which stop an install, from warnings, which do not', () => {
    expect(lint(`${HEAD}unknown: 1\n${TOOL}`).package?.id).toBe('demo');
    expect(lint(HEAD).package).toBeNull();
  });
});

describe('how a finding is printed', () => {
  it('shows file, line, column, the line, a caret and the way out', () => {
    const text = HEAD.replace('description', 'desciption') + TOOL;
    const [first] = lint(text).diagnostics.filter(({ rule }) => rule === 'unknown-key');
    expect(renderDiagnostic(first!, 'demo.yaml', text)).toBe(
      [
        'demo.yaml:4:1 warning unknown key `desciption`, did you mean `description`? [unknown-key]',
        '4 | desciption: A connector that is good for tests.',
        '  | ^^^^^^^^^^',
        '  = Forge ignores it.',
      ].join('\n'),
    );
  });

  it('keeps the caret in view on a very long line', () => {
    const text = withTool(`script: ${'a'.repeat(500)} = ;`);
    const [first] = lint(text).diagnostics.filter(({ rule }) => rule === 'script-syntax');
    const lines = renderDiagnostic(first!, 'x.yaml', text).split('\n');
    expect(lines[2]?.length).toBeLessThan(140);
    expect(lines[1]).toContain('= ;');
  });
});
