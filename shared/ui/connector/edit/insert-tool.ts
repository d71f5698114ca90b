import type { OfferedTool } from './offered-tool.ts';

type NewTool = Omit<OfferedTool, 'connector'>;

const INDENT = 2;

/**
 * The manifest with a tool more, at the end of its tools; everything else stays as it was written. Null where the tools do not stand in
 * lines of their own under `tools:`, as in a bundle: there a person has to choose the place.
 */
export function insertTool(manifest: string, tool: NewTool): string | null {
  const newline = manifest.includes('\r\n') ? '\r\n' : '\n';
  const lines = manifest.split(/\r?\n/);
  const at = lines.findIndex((line) => /^tools[ \t]*:/.test(line));
  if (at === -1) {
    if (lines.some((line) => /^connectors[ \t]*:/.test(line))) return null;
    const kept = lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
    return [...kept, ...siteLines(lines, tool), 'tools:', ...toolLines(tool, INDENT), ''].join(newline);
  }
  const isEmptyMap = /^tools[ \t]*:[ \t]*\{[ \t]*\}[ \t]*$/.test(lines[at] ?? '');
  if (!isEmptyMap && !/^tools[ \t]*:[ \t]*(#.*)?$/.test(lines[at] ?? '')) return null;
  const end = endOfBlock(lines, at);
  const block = lines.slice(at + 1, end);
  const first = block.find((line) => /^[ \t]*[^\s#]/.test(line));
  const indent = first === undefined ? INDENT : first.length - first.trimStart().length;
  const name = freeName(tool.name, block, indent);
  return [
    ...lines.slice(0, at),
    ...siteLines(lines, tool),
    isEmptyMap ? 'tools:' : (lines[at] ?? ''),
    ...block,
    ...toolLines({ ...tool, name }, indent),
    ...lines.slice(end),
  ].join(newline);
}

/** The line after the last one that belongs to what begins at `at`. */
function endOfBlock(lines: readonly string[], at: number): number {
  const after = lines.findIndex((line, index) => index > at && /^[^\s#]/.test(line));
  const until = after === -1 ? lines.length : after;
  const last = lines.slice(0, until).findLastIndex((line, index) => index > at && /^[ \t]+\S/.test(line));
  return last === -1 ? at + 1 : last + 1;
}

function siteLines(lines: readonly string[], { hostMatch }: NewTool): string[] {
  return lines.some((line) => /^host_match[ \t]*:/.test(line)) ? [] : [`host_match: ${JSON.stringify(hostMatch)}`];
}

function toolLines({ name, body }: NewTool, indent: number): string[] {
  const inside = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent + INDENT) + line));
  return [`${' '.repeat(indent)}${name}:`, ...inside];
}

function freeName(wanted: string, block: readonly string[], indent: number): string {
  const taken = new Set(
    block
      .map((line) => /^( *)["']?([\w-]+)["']?[ \t]*:/.exec(line))
      .map((found) => (found?.[1]?.length === indent ? found[2] : undefined)),
  );
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
  return name;
}
