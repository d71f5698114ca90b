import type { ShellTool } from '../../shared/manifest/connector.ts';
import { expandArgv } from '../../shared/template/expand-argv.ts';
import { expandText } from '../../shared/template/expand-text.ts';
import type { Command } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';

const dashes = new WeakMap<ShellTool, ReadonlySet<string>>();

/** Stage 6 for shell tools: one element of the command stays one argument, whatever its value. */
export function expandShellTool(tool: ShellTool, scope: CallScope, options: FillOptions): Command {
  const env = Object.entries(tool.env ?? {}).map(
    ([name, value]) => [name, expandText(String(value), scope, options)] as const,
  );
  const cwd = tool.cwd === undefined ? '' : expandText(tool.cwd, scope, options);
  return {
    protocol: 'shell',
    argv: expandArgv(tool.command.map(String), scope, { ...options, allowDash: allowDash(tool) }),
    env: Object.fromEntries(env.filter(([, value]) => value !== '')),
    cwd: cwd === '' ? null : cwd,
    timeoutMs: tool.timeout_ms,
  };
}

function allowDash(tool: ShellTool): ReadonlySet<string> {
  let found = dashes.get(tool);
  if (found === undefined) {
    found = new Set(Object.keys(tool.parameters).filter((name) => tool.parameters[name]?.allow_dash === true));
    dashes.set(tool, found);
  }
  return found;
}
