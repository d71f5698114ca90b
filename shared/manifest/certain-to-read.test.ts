import { expect, it } from 'vitest';
import { isCertainToRead } from './certain-to-read.ts';
import { toPackage } from './connector.ts';
import type { ManifestTool } from './schema/tool.ts';

const http = (method: string, more: object = {}) => ({
  protocol: 'http',
  request: { method, url: 'https://a.test' },
  ...more,
});
const shell = (more: object = {}) => ({ protocol: 'shell', command: ['ls'], ...more });
const watching = (poll: string, more: object = {}) => http('GET', { async: { poll, done_path: 'done', ...more } });
const end = (tool: string, mode = 'tool') => ({ mode, tool });

/** Tools by name, with whether each is certain to only read. */
const TABLE: Record<string, [tool: object, expected: boolean]> = {
  get: [http('GET'), true],
  head: [http('HEAD'), true],
  no_method: [{ protocol: 'http', request: { url: 'https://a.test' } }, true],
  destructive_get: [http('GET', { destructive: true }), false],
  get_that_changes: [http('GET', { read_only: false }), false],
  post: [http('POST'), false],
  options: [http('OPTIONS'), false],
  post_that_says_so: [http('POST', { read_only: true }), true],
  post_that_says_both: [http('POST', { read_only: true, destructive: true }), false],
  put_that_says_so: [http('PUT', { read_only: true }), false],
  patch_that_says_so: [http('PATCH', { read_only: true }), false],
  delete_that_says_so: [http('DELETE', { read_only: true }), false],
  shell: [shell(), false],
  shell_that_says_so: [shell({ read_only: true }), true],
  ssh_that_says_so: [{ protocol: 'ssh', ssh: { commands: ['uptime'] }, read_only: true }, true],
  ssh_of_the_caller: [{ protocol: 'ssh', ssh: { commands: ['{args.x}'] }, read_only: true }, false],
  browser: [{ script: 'return 1' }, false],
  browser_that_says_so: [{ script: 'return 1', read_only: true }, true],
  polls_a_get: [watching('get'), true],
  polls_a_post: [watching('post'), false],
  polls_nothing: [watching('missing'), false],
  polls_a_property_of_objects: [watching('constructor'), false],
  polls_itself: [watching('polls_itself'), true],
  ends_with_a_get: [watching('get', { on_done: end('get') }), true],
  ends_with_a_program: [watching('get', { on_done: end('shell') }), false],
  fails_with_a_program: [watching('get', { on_fail: end('shell') }), false],
  names_a_program_without_running_it: [watching('get', { on_done: end('shell', 'chat') }), false],
  ends_two_steps_away: [watching('get', { on_done: end('ends_with_a_program') }), false],
  goes_round_in_a_circle: [watching('get', { on_done: end('and_back') }), false],
  and_back: [watching('get', { on_done: end('goes_round_in_a_circle'), on_fail: end('post') }), false],
  polls_a_claim: [watching('shell_that_says_so'), true],
};

const tools = Object.fromEntries(Object.entries(TABLE).map(([name, [tool]]) => [name, tool as ManifestTool]));
const [connector] = toPackage({ id: 'a', name: 'A', version: '1.0.0', tools }, new Map()).connectors;

it.each(Object.entries(TABLE))('K-64 S9 %s', (name, [, expected]) => {
  expect(isCertainToRead(connector!.tools[name]!, connector!)).toBe(expected);
});

it('K-64 believes no claim that nobody has accepted, wherever in the chain it is made', () => {
  const certain = Object.values(connector!.tools).filter((tool) => isCertainToRead(tool, connector!, () => false));
  expect(certain.map(({ name }) => name)).toEqual([
    ...['get', 'head', 'no_method', 'polls_a_get', 'polls_itself', 'ends_with_a_get'],
  ]);
});
