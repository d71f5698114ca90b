import type { Command, HttpRequest } from '../../runners/job.ts';

/** What of a request counts here; a job and what a service saw both have it. */
export type Sent = Pick<HttpRequest, 'url' | 'headers'> & { body: string };
export type Run = Pick<Command, 'argv' | 'cwd'> & { env: string | null };

/** Where an argument stands: how a call puts it there, and what is wrong with what came out, or null. */
export interface HttpPosition {
  tool: string;
  args: (value: string) => Record<string, unknown>;
  problem: (sent: Sent, value: string, origin: string, secret: string) => string | null;
}

/** Control characters but the tab, and what Latin-1 does not have. */
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/;

const plain = (value: string) => ({ v: value });
const same = (what: string, found: unknown, wanted: unknown): string | null =>
  JSON.stringify(found) === JSON.stringify(wanted) ? null : `${what} is ${JSON.stringify(found).slice(0, 200)}`;

function inPath(tool: string, isIntact: (text: string, value: string) => boolean): HttpPosition {
  return {
    tool,
    args: plain,
    problem: ({ url }, value, origin) => {
      const path = url.slice(origin.length);
      const { pathname } = new URL(url);
      if (pathname !== path) return `the path ${path.slice(0, 100)} reads as ${pathname.slice(0, 100)}`;
      if (!/^\/p\/.*\/end$/s.test(path)) return `the path is ${path.slice(0, 100)}`;
      const readings = [path, decode(path), decode(decode(path))];
      if (readings.some((reading) => /(^|[/\\])\.\.?([;/\\]|$)/.test(reading))) return 'the path climbs';
      return isIntact(path.slice('/p/'.length, -'/end'.length), value) ? null : `the value has become ${path}`;
    },
  };
}

function inQuery(tool: string, isDroppedEmpty: boolean): HttpPosition {
  return {
    tool,
    args: plain,
    problem: ({ url }, value) => {
      const { pathname, searchParams, hash } = new URL(url);
      const rest = isDroppedEmpty && value === '' ? [['z', '1']] : [['q', value], ['z', '1']]; // prettier-ignore
      return same('the rest of the address', [pathname, hash, [...searchParams]], ['/p', '', rest]);
    },
  };
}

function inBody(
  tool: string,
  read: (body: string) => unknown,
  wanted: (value: string, secret: string) => unknown,
  args: HttpPosition['args'] = plain,
): HttpPosition {
  return {
    tool,
    args,
    problem: ({ url, body }, value, origin, secret) =>
      same('the address', url, `${origin}/p`) ?? same('the body', read(body), wanted(value, secret)),
  };
}

const form = (body: string) => [...new URLSearchParams(body)];
const json = (body: string): unknown => JSON.parse(body);
const texts = (value: string) => ({ v: value, text: `a ${value} b` });

/** Every place of a request whose host is fixed. */
export const HTTP_POSITIONS: readonly HttpPosition[] = [
  inPath('path_component', (text, value) => !text.includes('/') && decodeURIComponent(text) === value),
  inPath('path_segments', (text, value) => decodeURIComponent(text) === value),
  // A value that is taken literally may bring its own escapes.
  inPath('path_none', (text, value) => value.includes('%') || decodeURIComponent(text) === value),
  inQuery('url_query', false),
  inQuery('query', true),
  {
    tool: 'header',
    args: plain,
    problem: ({ url, headers }, value, origin) =>
      same('the address', url, `${origin}/p`) ??
      (UNSENDABLE.test(headers['x-value'] ?? '') ? 'the header would end early' : null) ??
      same('the header', headers['x-value']?.trim() ?? null, value === '' ? null : value.trim()),
  },
  inBody('json', json, texts),
  inBody('json_text', json, texts),
  inBody(
    'raw',
    (body) => body,
    (value) => `raw ${value} end`,
  ),
  inBody('form_value', form, (value, secret) => [
    ['v', value],
    ['z', '1'],
    ['PAT', secret],
  ]),
  inBody(
    'form_object',
    form,
    (value, secret) => (value === 'PAT' ? [['PAT', secret]] : [[value, value], ['PAT', secret]]), // prettier-ignore
    (value) => ({ j: { [value]: value } }),
  ),
];

export interface ShellPosition {
  tool: string;
  args: (value: string) => Record<string, unknown>;
  wanted: (value: string, work: string) => Partial<Run>;
}

/** Every place of a command. */
export const SHELL_POSITIONS: readonly ShellPosition[] = [
  { tool: 'argv', args: plain, wanted: (value) => ({ argv: ['first', value, `x=${value}`, 'last'] }) },
  { tool: 'dash', args: (value) => ({ d: value }), wanted: (value) => ({ argv: ['first', value, 'last'] }) },
  { tool: 'env', args: plain, wanted: (value) => ({ argv: ['first', 'last'], env: value === '' ? null : value }) },
  { tool: 'cwd', args: plain, wanted: () => ({ argv: ['first', 'last'] }) },
];

function decode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
