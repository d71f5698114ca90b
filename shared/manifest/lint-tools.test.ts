import { describe, expect, it } from 'vitest';
import { findings, HEAD, lint, TOOL, withTool } from './testing/lint.ts';

describe('errors and warnings in tools, each at its place', () => {
  const table: [title: string, yaml: string, wanted: string][] = [
    [
      'C-30 knows the types of parameters',
      withTool('protocol: shell\ncommand: [ls]\nparameters: { a: { type: text } }'),
      'error enum 10:30 `tools.t.parameters.a.type` cannot be "text"',
    ],
    [
      'C-29 C-30 wants options for a select parameter',
      withTool('protocol: shell\ncommand: [ls]\nparameters: { a: { type: select } }'),
      'error options 10:22 the parameter `a` is a select without options',
    ],
    [
      'C-31 wants a default that fits',
      withTool('protocol: shell\ncommand: [ls]\nparameters: { n: { type: number, default: many } }'),
      'error default 10:47 the default of `n` does not fit its type number',
    ],
    [
      'C-83 knows three encodings',
      withTool('protocol: shell\ncommand: [ls]\nparameters: { a: { url_encoding: raw } }'),
      'error enum 10:38 `tools.t.parameters.a.url_encoding` cannot be "raw"',
    ],
    [
      'C-02 C-38 knows the protocols',
      withTool('protocol: htpp'),
      'error enum 8:15 `tools.t.protocol` cannot be "htpp", did you mean `http`?',
    ],
    [
      'C-54 wants a url',
      withTool('protocol: http\nrequest: { method: GET }'),
      'error required 9:14 `tools.t.request` needs `url`',
    ],
    [
      'refuses other schemes',
      withTool('protocol: http\nrequest: { url: "ftp://a.test" }'),
      'error url 9:22 only http and https can be requested, not ftp',
    ],
    [
      'refuses dot segments',
      withTool('protocol: http\nrequest: { url: "https://a.test/x/../y" }'),
      'error url 9:22 the URL holds a `.` or `..` segment',
    ],
    [
      'refuses an address that is an argument',
      withTool('protocol: http\nparameters: { u: {} }\nrequest: { url: "{args.u}" }'),
      'error url 10:22 the address cannot come from an argument as a whole',
    ],
    [
      'C-02 asks for the protocol that a request needs',
      withTool('request: { url: "https://a.test" }'),
      'error protocol 8:5 `t` has `request` and no protocol, did you mean `protocol: http`?',
    ],
    [
      'C-02 asks for the protocol that a command needs',
      withTool('command: [ls]'),
      'error protocol 8:5 `t` has `command` and no protocol, did you mean `protocol: shell`?',
    ],
    [
      'C-87 refuses an argument in an injected value',
      withTool(
        'protocol: http\nparameters: { y: {} }\nrequest: { method: POST, url: "https://a.test", body_form_inject: { X: "{args.y}" } }',
      ),
      'error namespace 10:77 `{args.y}` has no value here: injected fields are filled from settings only',
    ],
    [
      'C-87 refuses an argument in an injected key',
      withTool(
        'protocol: http\nparameters: { y: {} }\nrequest: { method: POST, url: "https://a.test", body_form_inject: { "{args.y}": x } }',
      ),
      'error namespace 10:85 `{args.y}` has no value here',
    ],
    [
      'refuses a result in a request',
      withTool('protocol: http\nrequest: { url: "https://a.test/{result.id}" }'),
      'error namespace 9:22 `{result.id}` has no value here: only a watch has results and polls',
    ],
    [
      'refuses a poll in a command',
      withTool('protocol: shell\ncommand: [ls, "{poll.x}"]'),
      'error namespace 9:20 `{poll.x}` has no value here',
    ],
    [
      'refuses a poll in what is filled in before it',
      withTool('protocol: shell\ncommand: [ls]\nasync: { poll: t, done_path: x, poll_args: { p: "{poll.x}" } }'),
      'error namespace 10:54 `{poll.x}` has no value here: it is filled in before the first poll',
    ],
    [
      'refuses an argument in a test',
      `${HEAD}test: { request: { url: "https://a.test/{args.x}" } }\n${TOOL}`,
      'error namespace 5:26 `{args.x}` has no value here: a test has no arguments',
    ],
    [
      'C-40 says what a misspelled setting without its namespace was meant to be',
      withTool('protocol: http\nrequest: { url: "https://a.test/{projct}" }').replace(
        'tools:',
        'settings: { project: {} }\ntools:',
      ),
      'warning unknown-name 10:22 `{projct}` is not a template and stays as it is, did you mean `{project}`?',
    ],
    [
      'C-41 says what a misspelled namespace was meant to be',
      withTool('protocol: http\nparameters: { id: {} }\nrequest: { url: "https://a.test/{arg.id}" }'),
      'warning unknown-name 10:22 `{arg.id}` is not a template and stays as it is, did you mean `{args.id}`?',
    ],
    [
      'C-82 warns about a slash that would be encoded',
      withTool(
        'protocol: http\nparameters: { repo: { required: true, description: "As owner/name." } }\nrequest: { url: "https://a.test/{args.repo}" }',
      ),
      'warning url-encoding 9:25 `repo` is described as a text with a slash, and the slash is sent as %2F',
    ],
    [
      'C-41 says what a parameter without its namespace was meant to be',
      withTool('protocol: http\nparameters: { id: { required: true } }\nrequest: { url: "https://a.test/{id}" }'),
      'warning unknown-name 10:22 `{id}` is not a template and stays as it is, did you mean `{args.id}`?',
    ],
    [
      'C-84 warns about a segment of a path that may be left out',
      withTool('protocol: http\nparameters: { id: {} }\nrequest: { url: "https://a.test/{args.id}/x?q={args.id}" }'),
      'warning empty-segment 9:23 `id` is a part of the path and may be left out, and a call without it is refused',
    ],
    [
      'C-72 asks for the unit of a custom expires_path',
      `${HEAD}auth: { type: bearer-token-exchange, exchange_url: "https://a.test", api_token: x, expires_path: data.life }\n${TOOL}`,
      'warning exchange 5:98 `data.life` does not say in which unit it is, so a number there is not used',
    ],
    ['C-99 wants a command', withTool('protocol: shell'), 'error required 7:5 `tools.t` needs `command`'],
    [
      'C-99 wants exit codes that a program can have',
      withTool('protocol: shell\ncommand: [ls]\nok_exit_codes: [0, 256]'),
      'error limit 10:24 `tools.t.ok_exit_codes[1]` must be <= 255',
    ],
    [
      'C-99 wants at least one exit code',
      withTool('protocol: shell\ncommand: [ls]\nok_exit_codes: []'),
      'error limit 10:20 `tools.t.ok_exit_codes` must NOT have fewer than 1 items',
    ],
    [
      'C-99 refuses a program from an argument',
      withTool('protocol: shell\nparameters: { p: {} }\ncommand: ["{args.p}"]'),
      'error command 10:16 the program to run cannot come from an argument',
    ],
    [
      'C-57 knows the auth schemes',
      `${HEAD}auth: { type: oauth }\n${TOOL}`,
      'error enum 5:15 `auth.type` cannot be "oauth"; use one of basic, bearer, header, query, none, bearer-token-exchange, session',
    ],
    [
      'C-75 wants one credential for an exchange',
      `${HEAD}auth: { type: bearer-token-exchange, exchange_url: "https://a.test" }\n${TOOL}`,
      'error exchange 5:7 a token exchange needs one of `api_token` and `exchange_body`',
    ],
    [
      'C-89 wants rows to inject from',
      withTool(
        'protocol: http\nrequest: { url: "https://a.test", method: POST, body_form: {}, body_form_inject_from: rows }',
      ),
      'error inject 9:91 `rows` is not a setting with rows',
    ],
    [
      'C-40 warns about an undeclared setting',
      withTool('protocol: http\nrequest: { url: "https://a.test/{settings.projct}" }').replace(
        'tools:',
        'settings: { project: {} }\ntools:',
      ),
      'warning unknown-setting 10:22 `{settings.projct}` names a setting that is not declared, did you mean `project`?',
    ],
    [
      'C-41 warns about an undeclared parameter',
      withTool('protocol: http\nparameters: { owner: {} }\nrequest: { url: "https://a.test/{args.ower}" }'),
      'warning unknown-argument 10:22 `{args.ower}` names a parameter that is not declared, did you mean `owner`?',
    ],
    [
      'K-05 refuses a secret in a script',
      withTool(`script: "return '{settings.token}'"`).replace(
        'tools:',
        'settings: { token: { type: secret } }\ntools:',
      ),
      'error secret-exposed 9:14 the secret `token` cannot be used in a script',
    ],
    [
      'K-05 refuses a secret in a page address',
      withTool('page: { url: "https://a.test/{token}" }\nscript: return 1').replace(
        'tools:',
        'settings: { token: { type: secret } }\ntools:',
      ),
      'error secret-exposed 9:19 the secret `token` cannot be used in a page address',
    ],
    [
      'C-23 refuses a secret in host_match',
      `${HEAD}host_match: "https://{settings.token}/*"\nsettings: { token: { type: secret } }\n${TOOL}`,
      'error secret-exposed 5:14 the secret `token` cannot be used in a page address',
    ],
    [
      'C-36 K-12 wants a script',
      withTool('page: { url: "https://a.test" }'),
      'error script 7:5 the browser tool `t` needs a `script`, or a file tools/t.js beside the manifest',
    ],
    [
      'K-12 wants the script file that is named',
      withTool('script_file: tools/x.js'),
      'error script 8:18 the browser tool `t` names tools/x.js, which is not there',
    ],
    [
      'finds a syntax error at its line',
      withTool('script: |\n  const a = 1;\n  const b = ;'),
      'error script-syntax 10:17 Unexpected token',
    ],
    [
      'K-06 refuses a timeout of more than ten minutes',
      withTool('protocol: shell\ncommand: [ls]\ntimeout_ms: 600001'),
      'error limit 10:17 `tools.t.timeout_ms` must be <= 600000',
    ],
    [
      'C-47 warns about require',
      withTool('script: return require("fs")'),
      'warning script-reference 8:20 scripts cannot use `require`',
    ],
    [
      'C-51 warns about chrome',
      withTool('script: |\n  return 1 + chrome.tabs'),
      'warning script-reference 9:18 scripts cannot use `chrome`',
    ],
    [
      'C-124 wants a poll tool of this connector',
      withTool('protocol: shell\ncommand: [ls]\nasync: { poll: tt, done_path: x }'),
      'error async 10:20 `tt` is not a tool of this connector, did you mean `t`?',
    ],
    [
      'C-124 wants a poll that changes nothing',
      withTool('protocol: shell\ncommand: [ls]\ndestructive: true\nasync: { poll: t, done_path: x }'),
      'error async 11:20 `t` is destructive, and would be called again and again',
    ],
    [
      'C-135 warns where Forge keeps to its own bounds',
      withTool('protocol: shell\ncommand: [ls]\nasync: { poll: t, done_path: x, max_polls: 501 }'),
      'warning async 10:48 Forge stops after 500 polls',
    ],
    [
      'K-16 warns about a parameter that looks like a password',
      withTool(
        'protocol: shell\ncommand: [ls]\nparameters: { password: {} }\nasync: { poll: t, done_path: x, poll_args: { p: "{args.password}" } }',
      ),
      'warning watch-secret 11:54 `{args.password}` looks like a credential',
    ],
    ...[
      ['on_done: { message: "{args.password}" }', '11:58'],
      ['on_fail: { message: "{args.password}" }', '11:58'],
      ['on_done: { mode: tool, tool: t, args: { p: "{args.password}" } }', '11:81'],
      ['on_fail: { mode: tool, tool: t, args: { p: "{args.password}" } }', '11:81'],
      ['progress: { message: "{args.password}" }', '11:59'],
    ].map(([key, place]): [string, string, string] => [
      `K-16 warns about a parameter that looks like a password, also in ${key}`,
      withTool(
        `protocol: shell\ncommand: [ls]\nparameters: { password: {} }\nasync: { poll: t, done_path: x, ${key} }`,
      ),
      `warning watch-secret ${place} \`{args.password}\` looks like a credential`,
    ]),
    [
      'C-126 wants a way to know the end',
      withTool('protocol: shell\ncommand: [ls]\nasync: { poll: t }'),
      'error async 10:12 a watch needs `done_path` or `done_match`',
    ],
    [
      'C-126 takes both ways to know the end, and says so',
      withTool('protocol: shell\ncommand: [ls]\nasync: { poll: t, done_path: x, done_match: { path: a, equals: b } }'),
      'warning async 10:49 beside `done_path` either of the two ends the watch',
    ],
    [
      'K-16 refuses a secret in poll_args',
      withTool(
        'protocol: shell\ncommand: [ls]\nasync: { poll: t, done_path: x, poll_args: { p: "{settings.pw}" } }',
      ).replace('tools:', 'settings: { pw: { type: secret } }\ntools:'),
      'error secret-exposed 11:54 the secret `pw` cannot be used in what a watch keeps',
    ],
    [
      'C-104 wants a request for an http test',
      `${HEAD}test: { probe: http }\n${TOOL}`,
      'error required 5:7 `test` needs `request`',
    ],
    [
      'C-103 K-17 knows three probes',
      `${HEAD}test: { probe: ping }\n${TOOL}`,
      'error enum 5:16 `test.probe` cannot be "ping"; use one of http, browser, ssh',
    ],
    [
      'C-34 wants on_target as text',
      withTool('page: { on_target: 5 }\nscript: return 1'),
      'error type 8:24 `tools.t.page.on_target` must be text, not 5',
    ],
    [
      'C-37 wants destructive as true or false',
      withTool('destructive: very\nscript: return 1'),
      'error type 8:18 `tools.t.destructive` must be true or false, not "very"',
    ],
    [
      'C-32 wants required as true or false',
      withTool('protocol: shell\ncommand: [ls]\nparameters: { a: { required: yes please } }'),
      'error type 10:34 `tools.t.parameters.a.required` must be true or false',
    ],
    [
      'refuses a tool name models cannot use',
      HEAD + TOOL.replace('list:', '"list all":'),
      'error name 6:4 `list all` cannot be used as a name in `tools`',
    ],
  ];
  it.each(table)('%s', (_title, yaml, wanted) => {
    expect(findings(yaml)).toContainEqual(expect.stringContaining(wanted));
  });
});

it('C-81a says which way of exchanging fits a service', () => {
  const yaml = `${HEAD}auth: { type: bearer-token-exchange, exchange_url: 'https://a.test/login' }\n${TOOL}`;
  const [found] = lint(yaml).diagnostics;
  expect(found?.hint).toMatch(/api_token.*make API tokens.*exchange_body.*password/);
});

it.each([
  `parameters: { repo: { required: true, url_encoding: path_segments, description: 'As owner/name.' } }\nrequest: { url: 'https://a.test/{args.repo}' }`,
  `parameters: { repo: { description: 'As owner/name.' } }\nrequest: { url: 'https://a.test?q={args.repo}' }`,
  `parameters: { id: { default: 1 }, kind: {} }\nrequest: { url: 'https://a.test/{args.id}/all{args.kind}' }`,
  `parameters: { mode: { required: true, description: 'on/off and/or both' } }\nrequest: { url: 'https://a.test/{args.mode}' }`,
  `request: { url: 'https://a.test/{whatever}/{x.y}' }`,
])('takes %s', (rest) => {
  expect(findings(withTool(`protocol: http\n${rest}`))).toEqual([]);
});

it.each(['expires_in', 'data.exp', 'ttl_ms', 'data.life, expires_unit: ms'])('C-72 takes expires_path: %s', (path) => {
  const auth = `auth: { type: bearer-token-exchange, exchange_url: "https://a.test", api_token: x, expires_path: ${path} }`;
  expect(findings(`${HEAD}${auth}\n${TOOL}`)).toEqual([]);
});
