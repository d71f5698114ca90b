import { ForgeError } from '../../shared/errors.ts';
import { FORGE } from '../../shared/forge-command.ts';
import type { CapabilityDiff } from '../../shared/manifest/capability-diff.ts';
import type { DefinitionChange } from '../../shared/manifest/definition-diff.ts';
import type { ToolEntry } from '../connectors/catalog.ts';

/** More than this is read on the connector's page, where everything has room. */
const MAX_LINES = 24;
const MAX_CHARS = 160;
/** How much of what is the same is shown before the first difference of two long texts. */
const BEFORE_DIFFERENCE = 40;

/** What a person is asked when a tool's connector has changed: the question in the first line, then every difference. */
export function changeQuestion({ connector, tool, package: pack }: ToolEntry, diff: CapabilityDiff): string {
  const id = `${connector.id}.${tool.name}`;
  const own = diff.lines.filter((line) => line.tool === id);
  const others = diff.lines.filter((line) => line.tool !== id);
  const lines = [
    ...diff.flows.added.map((flow) => `New: the secret ${flow}.`),
    ...own.map((line) => shownChange(line)),
    ...others.map((line) => `${line.tool ?? pack.name}: ${shownChange(line)}`),
  ];
  if (lines.length > MAX_LINES) throw tooMuch(pack.name, pack.id, `in ${lines.length} places`);
  return [
    `Accept the changes of ${pack.name} and let it run ${tool.name}?`,
    `${pack.name} has changed since you accepted it.`,
    ...lines,
  ].join('\n');
}

/** For a connector that nobody has accepted, and for changes that need more room than a question has. */
export function tooMuch(name: string, id: string, how: string): ForgeError {
  return new ForgeError('connector_changed', `${name} has changed since you accepted it, ${how}`, {
    hint: `Review it under Connectors → ${name}, or with \`${FORGE} connector accept ${id}\`.`,
  });
}

function shownChange({ words, kind, before, after }: DefinitionChange): string {
  const [old, now] = aroundDifference(before ?? '', after ?? '');
  if (kind === 'added') return `${words}: ${now} (new)`;
  if (kind === 'removed') return before === null ? `${words} is gone` : `${words}: ${old} (gone)`;
  return `${words}: ${old} → ${now}`;
}

/** Both texts in one line each, from a little before the first difference on. */
function aroundDifference(before: string, after: string): [string, string] {
  let same = 0;
  while (same < before.length && same < after.length && before[same] === after[same]) same += 1;
  const from = before.length > MAX_CHARS || after.length > MAX_CHARS ? Math.max(0, same - BEFORE_DIFFERENCE) : 0;
  return [cut(before, from), cut(after, from)];
}

function cut(text: string, from: number): string {
  const part = text.slice(from, from + MAX_CHARS).replaceAll('\n', '⏎');
  return `${from > 0 ? '…' : ''}${part}${text.length > from + MAX_CHARS ? '…' : ''}`;
}
