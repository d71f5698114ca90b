import type { ToolCallRepairFunction, ToolSet } from 'ai';
import { parseJson } from '../../results/parse-json.ts';
import { BUILTIN } from '../../tools/catalogue/builtin-definitions.ts';

/**
 * Models call by its name what a search has found or a longer conversation has mentioned. Where tools are called through
 * forge_call_tool, such a call becomes one of it; whether the tool exists is for Forge to say.
 */
export const repairToolCall: ToolCallRepairFunction<ToolSet> = ({ toolCall, tools }) => {
  const args = parseJson(toolCall.input || '{}');
  const isUnlisted = !Object.hasOwn(tools, toolCall.toolName) && Object.hasOwn(tools, BUILTIN.call);
  if (!isUnlisted || args === undefined) return Promise.resolve(null);
  const input = JSON.stringify({ tool: toolCall.toolName, arguments: args });
  return Promise.resolve({ ...toolCall, toolName: BUILTIN.call, input });
};
