import { isRecord } from '../../../shared/json.ts';
import type { Route, RouteRequest } from '../route.ts';
import type { Described, DescribedLine } from './confirmations.ts';

type AnyRequest = RouteRequest<unknown, unknown>;

const SECRET_NAME = /secret|token|passw|passphrase|credential|authorization|cookie|private|api[_-]?key|^key$/i;
const MAX_LINES = 60;
const MAX_CHARS = 2000;

/** What is shown of a request: in the words of its route where it has some, else the request itself with secrets masked. */
export async function describeRequest(
  route: Route,
  request: RouteRequest<never, never>,
  target: string,
): Promise<Described> {
  const described = (await route.describe?.(request)) ?? plainly(route, request, target);
  return { ...described, lines: shortened(described.lines) };
}

function plainly(route: Route, { body, zip }: AnyRequest, target: string): Described {
  return {
    title: route.summary.replace(/\.$/, ''),
    verb: 'Confirm',
    lines: [
      { label: 'Request', text: `${route.method} ${target}` },
      ...(zip === null ? valueLines(body) : [{ label: 'File', text: `a zip of ${zip.length} bytes` }]),
    ],
  };
}

/** Every value of a body by the path it has in it. */
export function valueLines(value: unknown, path = ''): DescribedLine[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((each, index) => valueLines(each, `${path}[${index}]`));
  if (isRecord(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, each]) => {
      const place = path === '' ? name : `${path}.${name}`;
      const isSecret = SECRET_NAME.test(name) && typeof each === 'string' && each !== '';
      return isSecret ? [{ label: place, text: '[secret]' }] : valueLines(each, place);
    });
  return [{ label: path === '' ? 'Body' : path, text: shownValue(value) }];
}

export function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Nothing is left out unsaid. */
function shortened(lines: readonly DescribedLine[]): DescribedLine[] {
  const shown = lines.slice(0, MAX_LINES).map(({ label, text }) => ({ label, text: cut(text) }));
  const rest = lines.length - shown.length;
  return rest === 0 ? shown : [...shown, { label: '…', text: `and ${rest} more lines that are not shown here` }];
}

function cut(text: string): string {
  const rest = text.length - MAX_CHARS;
  return rest <= 0 ? text : `${text.slice(0, MAX_CHARS)}… and ${rest} more characters`;
}
