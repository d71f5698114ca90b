import { readFileSync } from 'node:fs';
import path from 'node:path';

interface HostileData {
  [group: string]: (string | { text: string; times: number })[];
}

const file = path.join(import.meta.dirname, '..', 'fixtures', 'hostile-arguments.json');
// Our own file: groups of texts, the long ones as what they repeat.
const data = JSON.parse(readFileSync(file, 'utf8')) as HostileData;

const textOf = (entry: HostileData[string][number]): string =>
  typeof entry === 'string' ? entry : entry.text.repeat(entry.times);

/** Texts of one kind that somebody who means harm would hand to a tool. */
export const hostileGroup = (name: string): string[] => (data[name] ?? []).map(textOf);

/** All of them. */
export const HOSTILE: readonly string[] = Object.keys(data).flatMap(hostileGroup);

/** Prints what a program was given, so that nothing of it can get lost on the way. */
const PRINT =
  'process.stdout.write(JSON.stringify({argv: process.argv.slice(1), env: process.env.V ?? null, cwd: process.cwd()}))';

const http = (name: string, request: string, parameters = 'v: {}') =>
  `  ${name}: { protocol: http, description: Reads., parameters: { ${parameters} }, request: ${request} }`;
const shell = (name: string, rest: string) =>
  `  ${name}: { protocol: shell, description: Prints., parameters: { v: {}, d: { allow_dash: true } }, ${rest} }`;
const command = (...values: string[]) =>
  `command: ['{settings.node}', -e, '${PRINT}', ${['first', ...values, 'last'].map((value) => `'${value}'`).join(', ')}]`;

/** A connector with an argument in every place an argument may stand. */
export const HOSTILE_MANIFEST = [
  'id: demo',
  'name: Demo',
  'version: "1.0.0"',
  'settings:',
  '  node: { required: true }',
  '  work: { required: true }',
  '  token: { type: secret }',
  '  instances: { type: instances, fields: { name: { required: true }, base_url: {}, row_secret: { type: secret } } }',
  `auth: { type: bearer, token: '{settings.token}' }`,
  'tools:',
  http('path_component', `{ url: '{base_url}/p/{args.v}/end' }`),
  http('path_none', `{ url: '{base_url}/p/{args.v}/end' }`, 'v: { url_encoding: none }'),
  http('path_segments', `{ url: '{base_url}/p/{args.v}/end' }`, 'v: { url_encoding: path_segments }'),
  http('url_query', `{ url: '{base_url}/p?q={args.v}&z=1' }`),
  http('query', `{ url: '{base_url}/p', query: { q: '{args.v}', z: '1' } }`),
  http('header', `{ url: '{base_url}/p', headers: { X-Value: '{args.v}', X-Other: o } }`),
  http('json', `{ method: POST, url: '{base_url}/p', body: { v: '{args.v}', text: 'a {args.v} b' } }`),
  http('json_text', `{ method: POST, url: '{base_url}/p', body: '{"v": {args.v}, "text": "a {args.v} b"}' }`),
  http('raw', `{ method: POST, url: '{base_url}/p', body: 'raw {args.v} end' }`),
  http(
    'form_value',
    `{ method: POST, url: '{base_url}/p', body_form: { v: '{args.v}', z: '1' }, body_form_inject: { PAT: '{settings.row_secret}' } }`,
  ),
  http(
    'form_object',
    `{ method: POST, url: '{base_url}/p', body_form: '{args.j}', body_form_inject: { PAT: '{settings.row_secret}' } }`,
    'j: { type: json }',
  ),
  http('host', `{ url: 'http://{args.v}/reach' }`),
  http('subdomain', `{ url: 'http://{args.v}.good.test/reach' }`),
  http('port', `{ url: 'http://good.test:{args.v}/reach' }`),
  shell('argv', command('{args.v}', 'x={args.v}')),
  shell('dash', command('{args.d}')),
  shell('env', `${command()}, env: { V: '{args.v}', W: w }`),
  shell('cwd', `${command()}, cwd: '{settings.work}/{args.v}'`),
  '',
].join('\n');
