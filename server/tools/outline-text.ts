import { isRecord } from '../../shared/json.ts';

/** An outline as the extension makes it, one line per element. It comes from a page, so that every part is read with care. */
export function outlineLines(value: unknown): string[] {
  const { nodes } = isRecord(value) ? value : {};
  return listOf(nodes).map(({ depth, selector, text, more, shadow }) => {
    const marks = [
      ...(typeof text === 'string' ? [JSON.stringify(text)] : []),
      ...(shadow === true ? ['(shadow root)'] : []),
      ...(typeof more === 'number' ? [`(+${more} alike)`] : []),
    ];
    return [`${'  '.repeat(Math.min(Number(depth) || 0, MAX_DEPTH))}${String(selector)}`, ...marks].join(' ');
  });
}

const MAX_DEPTH = 60;

/** What an outline does not show. */
export function leftOutText(value: unknown): string {
  const { left_out: leftOut } = isRecord(value) ? value : {};
  const { alike = 0, hidden = 0, beyond_limit: beyond = 0 } = isRecord(leftOut) ? leftOut : {};
  return `left out: ${Number(alike)} elements in siblings that are built alike, ${Number(hidden)} hidden, ${Number(beyond)} beyond the limit`;
}

/** What a selector has found. */
export function matchLines(value: unknown): string[] {
  const { count, deep, matches } = isRecord(value) ? value : {};
  return [
    `${Number(count)} found, ${Number(deep)} of them in shadow roots`,
    ...listOf(matches).flatMap(({ tag, text, html, visible }) => [
      `${String(tag)}${visible === true ? '' : ' (not visible)'} ${JSON.stringify(text)}`,
      `  ${String(html)}`,
    ]),
  ];
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
