import { chainedTools, mayClaim } from '../certain-to-read.ts';
import { inspectShellTool } from '../commands/inspect-shell-tool.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, suggest, warning, type Rule, type ToolView } from '../rule.ts';
import { isWholeArgument } from '../ssh-command.ts';

const MAX_NAMED = 5;
const NO_NAMES: ReadonlySet<string> = new Set();

/** What a tool says about itself: that it only reads, that it changes something, or nothing at all. */
export const reading: Rule = function* ({ tools }) {
  for (const view of tools) if (view.tool.read_only === true) yield* checkClaim(view);
  const silent = tools.filter(isSilent);
  const [first] = silent;
  if (first === undefined) return;
  const named = silent.slice(0, MAX_NAMED).map(({ name }) => `\`${name}\``);
  const more = silent.length > MAX_NAMED ? ` and ${silent.length - MAX_NAMED} more` : '';
  const verb = silent.length === 1 ? 'does' : 'do';
  yield suggest('reading', first.path, `${named.join(', ')}${more} ${verb} not say whether anything is changed`, {
    at: 'key',
    hint: 'Add read_only: true to a tool that only reads, and destructive: true to one that a person should approve each time.',
  });
};

function* checkClaim({ name, tool, path, part }: ToolView): Iterable<Finding> {
  const at = [...path, 'read_only'];
  const hint = 'Remove one of the two.';
  if (tool.destructive === true)
    yield failure('reading', at, `\`${name}\` cannot be read_only and destructive`, { hint });
  if (tool.protocol === 'http' && !mayClaim({ protocol: 'http', request: tool.request }))
    yield failure('reading', at, `a ${tool.request.method ?? 'GET'} request is not read_only`, {
      hint: 'PUT, PATCH and DELETE change something. Remove read_only.',
    });
  if (tool.protocol === 'ssh' && (tool.ssh?.commands ?? []).some(isWholeArgument))
    yield failure('reading', at, 'a tool whose command comes from an argument is not read_only', {
      hint: 'Remove read_only, or write the command down.',
    });
  if (tool.protocol === 'shell' && inspectShellTool(tool, NO_NAMES).wholeCode.length > 0)
    yield failure('reading', at, 'a tool whose code comes from an argument is not read_only', {
      hint: 'Remove read_only, or write the code down.',
    });
  const siblings = part.part.tools ?? {};
  for (const next of chainedTools(tool)) {
    const chained = Object.hasOwn(siblings, next) ? siblings[next] : undefined;
    if (chained === undefined || next === name || saysItReads(chained)) continue;
    yield warning(
      'reading',
      at,
      `\`${name}\` starts \`${next}\`, which does not only read, so read_only has no effect`,
      {
        hint: `Add read_only: true to \`${next}\` if it is true of it, or remove it here.`,
      },
    );
  }
}

/** Neither said nor plain from the request. */
function isSilent({ tool }: ToolView): boolean {
  if (tool.destructive !== undefined || tool.read_only !== undefined) return false;
  return !saysItReads(tool);
}

function saysItReads(tool: ToolView['tool']): boolean {
  if (tool.destructive === true || tool.read_only === false) return false;
  if (tool.read_only === true) return true;
  return tool.protocol === 'http' && ['GET', 'HEAD'].includes(tool.request.method ?? 'GET');
}
