import type { JsonObject, JsonValue } from '../../../shared/json.ts';
import type { Masker } from '../../secrets/masker.ts';
import type { Caller } from '../../tools/hooks.ts';
import type { ExecutionRequest, HistoryMessage, ToolExecutor, ToolSpec } from '../adapter.ts';
import type { GatewayCapabilityProfile, OutputStrategy } from '../capabilities.ts';
import type { ToolChoice, ToolUse } from '../model-tools.ts';
import type { RoutingWish } from '../routing.ts';

/** A file that tells an agent who it is and how it works, such as AGENTS.md. */
export interface WorkspaceFile {
  name: string;
  content: string;
}

/** Work to be done, as whoever wants it describes it. */
export interface TaskSpec extends Omit<RoutingWish, 'outputStrategy'> {
  /** Made up where it is left out. The same one again is the same task. */
  taskId?: string | undefined;
  sessionId?: string | undefined;
  message: string;
  history?: readonly HistoryMessage[] | undefined;
  systemPrompt?: string | undefined;
  workspaceFiles?: readonly WorkspaceFile[] | undefined;
  model?: string | undefined;
  tools: ToolChoice;
  timeoutSeconds: number;
  outputStrategy?: OutputStrategy | undefined;
  outputSchema?: JsonObject | undefined;
  metadata?: Readonly<Record<string, JsonValue>> | undefined;
  /** Whom the call log names for the tools that are called. */
  caller: Caller;
  callback?: { url: string; token?: string | undefined } | undefined;
  /** For callers inside Forge, in place of the rules that hold for every task: what stands in front of the pipeline, a person to ask, and how results are put to the model. */
  toolUse?: Pick<ToolUse, 'call' | 'awaitApproval' | 'present'> | undefined;
}

/** What the prompt and the tools have become. */
export interface Assembled {
  taskId: string;
  tools: readonly ToolSpec[];
  /** How to work with the tools, and what holds for what they return. */
  instructions: readonly string[];
  toolExecutor: ToolExecutor;
  profile: GatewayCapabilityProfile;
  masker: Pick<Masker, 'redact' | 'redactJson'>;
}

/**
 * The request an adapter gets: the system prompt is put together, and the way the output is captured is chosen. It leaves Forge from
 * here, so no secret is in it, whoever wrote it there.
 */
export function assembleExecutionRequest(spec: TaskSpec, made: Assembled): ExecutionRequest {
  const { agentId, sessionId, outputSchema, timeoutSeconds, model = '' } = spec;
  const { masker } = made;
  // Both are JSON, and stay of their shape.
  const clean = <T>(value: T): T => masker.redactJson(value as JsonValue).value as T;
  return {
    ...{ taskId: made.taskId, agentId, sessionId, model },
    message: masker.redact(spec.message),
    history: spec.history === undefined ? undefined : clean(spec.history),
    metadata: spec.metadata === undefined ? undefined : clean(spec.metadata),
    systemPrompt: masker.redact(systemPromptOf(spec, made.instructions)),
    ...{ tools: made.tools, toolExecutor: made.toolExecutor, timeoutSeconds, outputSchema },
    outputStrategy: spec.outputStrategy ?? defaultStrategy(made.profile),
  };
}

/** What the caller says, then the workspace's files, then how to work with the tools. */
function systemPromptOf({ systemPrompt = '', workspaceFiles = [] }: TaskSpec, instructions: readonly string[]): string {
  const files = workspaceFiles.map(({ name, content }) => `## ${name}\n\n${content.trim()}`);
  return [systemPrompt, ...files, ...instructions].filter((part) => part.trim() !== '').join('\n\n');
}

function defaultStrategy({ outputStrategies }: GatewayCapabilityProfile): OutputStrategy {
  const [first = 'stream'] = outputStrategies;
  return outputStrategies.includes('stream') ? 'stream' : first;
}
