import { describe, expect, it } from 'vitest';
import { variableProblem } from '../commands/environment-names.ts';
import { findings, lint, withTool } from '../testing/lint.ts';

const tool = (rest: string) => withTool(`protocol: shell\nparameters: { x: {}, n: { type: integer } }\n${rest}`);

// prettier-ignore
const TABLE: [title: string, yaml: string, wanted: string][] = [
  ['an argument in code', tool(`command: [bash, -c, 'echo {args.x}']`), 'error argument-in-code'],
  ['an argument in PATH', tool(`command: [ls]\nenv: { PATH: '{args.x}' }`), 'error argument-in-code'],
  ['an argument that chooses where python starts', tool(`command: [python3, -c, 'import x']\ncwd: '{args.x}'`), 'error argument-in-code'],
  ['an argument that chooses where a script is looked for', tool(`command: [./build.sh]\ncwd: '{args.x}'`), 'error argument-in-code'],
  ['whole code', tool(`command: [bash, -c, '{args.x}']`), 'warning argument-in-code'],
];

it.each(TABLE)('S3 finds %s', (_title, yaml, wanted) => {
  expect(findings(yaml)).toEqual(expect.arrayContaining([expect.stringContaining(wanted)]));
});

it.each([
  `command: [git, -C, '{args.x}', log, -n, '{args.n}']`,
  `command: [ls]\ncwd: '{args.x}'`,
  `command: [python3, x.py]\ncwd: '/srv/{args.x}'`,
  `command: [sh, -c, 'git log | head']\ncwd: '{args.x}'`,
  `command: [ls]\nenv: { PATH: '{settings.pw}' }`,
  `command: [sh, -c, 'echo "$WHO"']\nenv: { WHO: '{args.x}', ARG_PATH: '{args.x}', COUNT: '{args.n}', PATH: '{args.n}' }`,
  `destructive: true\ncommand: [bash, -c, '{args.x}']`,
])('S3 takes %s', (rest) => {
  expect(findings(tool(rest)).filter((each) => each.includes('argument-in-code'))).toEqual([]);
});

it('S3 a tool whose code is an argument asks a person, whatever it says', () => {
  const destructive = (rest: string) => lint(tool(rest)).package?.connectors[0]?.tools['t']?.destructive;
  expect(destructive(`command: [bash, -c, '{args.x}']`)).toBe(true);
  expect(destructive(`command: [sudo, python3, -c, '{args.x}']`)).toBe(true);
  expect(destructive(`command: [bash, -c, 'echo "$1"', bash, '{args.x}']`)).toBe(false);
});

describe('S3 variables', () => {
  // Names that loaders, shells, interpreters and common programs read.
  const READ = `PATH path LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH GIT_SSH_COMMAND GIT_CONFIG_COUNT
    GIT_DIR PYTHONPATH PYTHONSTARTUP PYTHONINSPECT PERL5LIB PERL5OPT RUBYOPT RUBYLIB GEM_HOME BASH_ENV ENV IFS SHELLOPTS BASHOPTS PS1 PS4
    PROMPT_COMMAND CDPATH EDITOR VISUAL GIT_EDITOR PAGER MANPAGER LESSOPEN LESSCLOSE LESS BROWSER HOME XDG_CONFIG_HOME HTTP_PROXY https_proxy
    ALL_PROXY NO_PROXY SSL_CERT_FILE CURL_HOME CURL_CA_BUNDLE AWS_PROFILE AWS_ENDPOINT_URL KUBECONFIG DOCKER_HOST JAVA_TOOL_OPTIONS
    _JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS MAKEFLAGS CC RUSTC_WRAPPER CARGO_HOME GOFLAGS PHPRC PHP_INI_SCAN_DIR LUA_PATH LUA_INIT
    R_PROFILE TCLLIBPATH AWKPATH ZDOTDIR FPATH TERMINFO TERMCAP INPUTRC LOCPATH GCONV_PATH MALLOC_CHECK_ SSH_AUTH_SOCK SSH_ASKPASS
    SUDO_ASKPASS PGHOST PGSERVICEFILE MYSQL_HOME COMSPEC PATHEXT TMPDIR TZ FORGE_TOKEN TAR_OPTIONS RSYNC_RSH GREP_OPTIONS DOTNET_STARTUP_HOOKS
    COR_PROFILER ELECTRON_RUN_AS_NODE DENO_DIR VIMINIT EXINIT_RC ANSIBLE_CONFIG TF_CLI_CONFIG_FILE GH_HOST OPENSSL_CONF HELM_PLUGINS`;
  it.each(READ.split(/\s+/))('%s is not filled by an argument', (name) => expect(variableProblem(name)).not.toBeNull());

  it.each([
    'WHO',
    'NAME',
    'TEXT',
    'V',
    'A',
    'MESSAGE',
    'ISSUE_TITLE',
    'ARG_PATH',
    'ARG_HOME',
    'COUNT',
    'QUERY',
    'branch',
  ])('%s may be', (name) => expect(variableProblem(name)).toBeNull());
});

const SECRETS = `settings:
  token: { type: secret }
  site: {}
  rows: { type: instances, fields: { name: {}, value: { type: secret } } }
tools:`;
const beside = (rest: string) => findings(tool(rest).replace('tools:', SECRETS));

it.each([
  [`command: [curl, '{args.x}']\nenv: { T: '{settings.token}' }`, '`token`'],
  [`command: [curl, '{args.x}', '{token}']`, '`token`'],
  [`command: [curl, '{settings.token}']\ncwd: '/srv/{args.x}'`, '`token`'],
  [`command: [curl, '{settings.rows[0].value}', '{args.x}']`, '`rows`'],
])('S4 warns about a secret beside an argument: %s', (rest, name) => {
  const text = `an argument and the secret ${name} go into one command, so a person approves each call`;
  expect(beside(rest)).toEqual([expect.stringContaining(`warning secret-and-argument`)]);
  expect(beside(rest)[0]).toContain(text);
});

it.each([
  `command: [curl, '{settings.token}', '{args.n}']`,
  `command: [curl, '{settings.site}', '{args.x}']`,
  `command: [curl, '{args.x}']`,
])('S4 takes %s', (rest) => {
  expect(beside(rest)).toEqual([]);
});
