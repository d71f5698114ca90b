import { expect, it } from 'vitest';
import { findings, HEAD, lint, withTool } from '../testing/lint.ts';

const HTTP = (method: string) => `protocol: http\nrequest: { method: ${method}, url: "https://a.test" }`;
const SHELL = 'protocol: shell\ncommand: [ls]';

it.each([
  [
    'read_only and destructive',
    `${SHELL}\nread_only: true\ndestructive: true`,
    'error reading 10:16 `t` cannot be read_only and destructive',
  ],
  ['a PUT', `${HTTP('PUT')}\nread_only: true`, 'error reading 10:16 a PUT request is not read_only'],
  ['a DELETE', `${HTTP('DELETE')}\nread_only: true`, 'error reading 10:16 a DELETE request is not read_only'],
  [
    'a command of the caller',
    'protocol: ssh\nssh: { commands: ["{args.a}"] }\nread_only: true',
    'error reading 10:16 a tool whose command comes from an argument is not read_only',
  ],
  [
    'code of the caller',
    "protocol: shell\nparameters: { a: {} }\ncommand: [bash, -c, '{args.a}']\nread_only: true",
    'error reading 11:16 a tool whose code comes from an argument is not read_only',
  ],
  [
    'a script that deletes',
    'read_only: true\nscript: |\n  await fetch("/x", { method: "DELETE" })\n  return 1',
    'error reading 10:27 the script sends a DELETE request, and the tool says read_only',
  ],
])('K-64 refuses the claim of %s', (_title, tool, wanted) => {
  expect(findings(withTool(tool))).toContain(wanted);
});

it('K-64 warns about a claim that what it starts makes untrue', () => {
  const yaml = `${HEAD}tools:
  start:
    description: Starts it.
    ${HTTP('POST').replace('\n', '\n    ')}
    read_only: true
    async: { poll: look, done_path: done, on_done: { mode: tool, tool: end } }
  look: { description: Looks., protocol: http, request: { url: "https://a.test" } }
  end: { description: Ends it., protocol: shell, command: [ls] }
`;
  expect(findings(yaml)).toEqual([
    'warning reading 10:16 `start` starts `end`, which does not only read, so read_only has no effect',
  ]);
});

it('S9 suggests once to say what a tool does, and not for one that has said so or is a GET', () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
  const silent = names.map((name) => `  ${name}: { description: Does it., protocol: shell, command: [ls] }\n`).join('');
  const said = ['read_only: true', 'read_only: false', 'destructive: true', 'destructive: false']
    .map((word, index) => `  said${index}: { description: Does it., protocol: shell, command: [ls], ${word} }\n`)
    .join('');
  const get = '  get: { description: Gets it., protocol: http, request: { url: "https://a.test" } }\n';
  const suggestions = (yaml: string) =>
    lint(yaml).diagnostics.map(({ severity, line, message }) => `${severity} ${line} ${message}`);
  expect(suggestions(`${HEAD}tools:\n${get}${silent}${said}`)).toEqual([
    'info 7 `one`, `two`, `three`, `four`, `five` and 2 more do not say whether anything is changed',
  ]);
  expect(suggestions(`${HEAD}tools:\n${get}${said}`)).toEqual([]);
});
