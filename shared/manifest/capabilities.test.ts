import { describe, expect, it } from 'vitest';
import { diffCapabilities } from './capability-diff.ts';
import { capabilitiesOf, type Capabilities } from './capabilities.ts';
import { definitionOf, type Definition } from './definition.ts';
import { lintManifest } from './lint.ts';

const reachOf = (body: string): Capabilities => capabilitiesOf(defined(body));

function defined(body: string): Definition {
  const yaml = `id: a\nname: A\nversion: "1.0.0"\n${body}`;
  const report = lintManifest(yaml, { scripts: new Map(), forgeVersion: '1.0.0' });
  if (report.package === null) throw new Error(JSON.stringify(report.diagnostics));
  return definitionOf(report.package);
}

const shell = (keys: string): string => `tools: { t: { protocol: shell, command: [git, log], ${keys} } }`;
const ssh = (keys: string): string =>
  `tools: { t: { protocol: ssh, parameters: { host: {} }, ssh: { commands: [show], prompt_regex: '#$', ${keys} } } }`;

describe('W-20 a consent shows in full what is run', () => {
  it.each([
    [
      "env: { LD_PRELOAD: './x.so', MODE: 'a b' }, cwd: '/srv/{settings.folder}'",
      "LD_PRELOAD=./x.so MODE='a b' git log (in /srv/{settings.folder})",
    ],
    ['', 'git log'],
  ])('a program with %s', (keys, line) => {
    expect(reachOf(shell(keys)).commands).toEqual([line]);
  });

  it('does not show a program whose name looks like a variable as one', () => {
    const body = "tools: { t: { protocol: shell, command: ['PATH=/x', git] } }";
    expect(reachOf(body).commands).toEqual(["'PATH=/x' git"]);
  });

  it('what is sent to a terminal that asks', () => {
    expect(reachOf(ssh("auto_answer: [{ match: 'sure\\?', send: 'y' }]")).commands).toEqual([
      "ssh: answers 'sure\\?' with y",
      'ssh: show',
    ]);
  });

  it('arguments that may be options, for programs only', () => {
    expect(reachOf(shell('parameters: { flags: { allow_dash: true } }')).risks).toEqual([
      'a.t: “flags” may be an option of the program',
    ]);
    const http = `tools: { t: { protocol: http, parameters: { q: { allow_dash: true } }, request: { url: 'https://a.test' } } }`;
    expect(reachOf(http).risks).toEqual([]);
  });
});

describe('W-20 a consent names where a token is exchanged', () => {
  const exchange = (host: string): string =>
    `auth: { type: bearer-token-exchange, exchange_url: 'https://${host}/token', api_token: x }`;
  const tools = "tools: { t: { protocol: http, auth: { type: none }, request: { url: 'https://api.test' } } }";
  const test = (keys: string): string =>
    `test: { request: { url: 'https://api.test/me' }${keys === '' ? '' : `, ${keys}`} }`;

  it.each([
    ['by the test itself', `${test(exchange('own.test'))}\n${tools}`, 'https://own.test'],
    ['by the connector, for its test', `${exchange('shared.test')}\n${test('')}\n${tools}`, 'https://shared.test'],
  ])('%s', (_by, body, host) => {
    expect(reachOf(body).hosts).toEqual(['https://api.test', host]);
  });
});

describe('W-20 asks again for what is new', () => {
  const parameters = 'parameters: { flags: {} }';
  it.each([
    ['only env is new', shell(''), shell('env: { PATH: /tmp }'), true],
    ['only a value of env differs', shell('env: { A: 1 }'), shell('env: { A: 2 }'), true],
    ['only cwd is new', shell(''), shell('cwd: /tmp'), true],
    ['only an answer is new', ssh(''), ssh("auto_answer: [{ match: 'sure', send: 'y' }]"), true],
    [
      'only what is answered differs',
      ssh("auto_answer: [{ match: 'a', send: 'n' }]"),
      ssh("auto_answer: [{ match: 'a', send: 'y' }]"),
      true,
    ],
    ['only allow_dash is new', shell(parameters), shell('parameters: { flags: { allow_dash: true } }'), true],
    ['allow_dash is gone', shell('parameters: { flags: { allow_dash: true } }'), shell(parameters), true],
    ['only a description differs', shell('description: A.'), shell('description: B.'), false],
    ['nothing differs', shell('env: { A: 1 }, cwd: /tmp'), shell('env: { A: 1 }, cwd: /tmp'), false],
  ])('%s', (_what, before, after, expected) => {
    expect(diffCapabilities(defined(before), defined(after)).asks).toBe(expected);
  });
});
