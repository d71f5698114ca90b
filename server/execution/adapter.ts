import type { ToolResult } from '../../shared/chat-parts.ts';
import type { JsonObject, JsonValue } from '../../shared/json.ts';
import type { GatewayCapabilityProfile, OutputStrategy } from './capabilities.ts';

/** The environment, as the adapter finds it at the start. */
export type AdapterConfig = Readonly<Record<string, unknown>>;

/** `degraded` can still take work; `offline` cannot. */
export type AdapterHealthStatus = 'healthy' | 'degraded' | 'offline';

/** A tool as a model is told of it. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  inputSchema: JsonObject;
}

export interface ToolRequest {
  /** The model's own id of this call. */
  id: string;
  name: string;
  args: unknown;
}

/** What goes back to the model. A failure it can act on is an answer, too. */
export interface ToolAnswer {
  ok: boolean;
  text: string;
}

/** Carries out a tool call through Forge's pipeline. Never rejects for a reason the model could act on. */
export type ToolExecutor = (request: ToolRequest) => Promise<ToolAnswer>;

/** What was said before; tool calls stand between the message that asked for them and the one that used their results. `taskId` is the task that answered. */
export type HistoryMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; toolCalls?: readonly ToolRequest[]; taskId?: string | undefined }
  | { role: 'tool'; results: readonly { id: string; name: string; text: string; ok: boolean }[] };

/** One piece of work, complete: the prompt is assembled, the tools are translated, the output strategy is chosen. */
export interface ExecutionRequest {
  taskId: string;
  agentId: string;
  sessionId?: string | undefined;
  message: string;
  history?: readonly HistoryMessage[] | undefined;
  systemPrompt: string;
  /** `provider/model`, a bare name, or empty for whatever is set up. */
  model: string;
  tools: readonly ToolSpec[];
  toolExecutor: ToolExecutor;
  timeoutSeconds: number;
  outputStrategy: OutputStrategy;
  /** For `structured`: what the output must look like. */
  outputSchema?: JsonObject | undefined;
  metadata?: Readonly<Record<string, JsonValue>> | undefined;
}

export interface NormalizedUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  thinkingTokens: number | null;
  totalTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
}

export const NO_USAGE: NormalizedUsage = {
  inputTokens: null,
  outputTokens: null,
  thinkingTokens: null,
  totalTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
};

export interface ExecutionResult {
  status: 'ok' | 'error';
  output?: string | undefined;
  error?: string | undefined;
  /** From the table in shared/errors.ts; `cancelled` and `timeout` among them. */
  errorCode?: string | undefined;
  durationMs: number;
  usage?: NormalizedUsage | undefined;
  /** In US dollars, where the runtime says. */
  costUsd?: number | undefined;
  model?: string | undefined;
  modelProvider?: string | undefined;
}

interface EventBase {
  taskId: string;
  agentId: string;
  /** ISO 8601. */
  timestamp: string;
}

/** What happens while a task runs. `execution.text` and `execution.thinking` carry what is new since the one before. */
export type ExecutionEvent = EventBase &
  (
    | { type: 'execution.queued'; data: { position: number; provider: string } }
    | { type: 'execution.started'; data?: { provider?: string; model?: string } }
    | { type: 'execution.warning'; data: { message: string } }
    | { type: 'execution.text'; data: { text: string; offset?: number } }
    | { type: 'execution.thinking'; data: { text: string; offset?: number } }
    | {
        type: 'execution.tool_call';
        data: { id: string; name: string; title?: string; args: JsonValue; native?: boolean };
      }
    | { type: 'execution.tool_output'; data: { id: string; stream: 'stdout' | 'stderr'; text: string } }
    | { type: 'execution.tool_approval'; data: { id: string; approvalId: string; reason: string } }
    | { type: 'execution.tool_result'; data: ToolResultData }
    | { type: 'execution.completed'; data?: Partial<ExecutionResult> }
    | { type: 'execution.failed'; data?: { error: string; errorCode?: string } }
  );

export interface ToolResultData extends ToolResult {
  native?: boolean;
}

export type ExecutionEventListener = (event: ExecutionEvent) => void;

/** Where adapters with an event infrastructure of their own hand their events over. */
export interface EventBus {
  publish(event: ExecutionEvent): void;
}

/** Every runtime is one of these. An adapter accepts a request, runs it and returns a result; everything else is done around it. */
export interface ExecutionAdapter {
  /** Unique, e.g. "vercel-ai". */
  readonly provider: string;
  /** Called once at the start, with the environment. */
  initialize(config: AdapterConfig): Promise<void>;
  /** Cancels active tasks and lets go of connections. */
  shutdown(): Promise<void>;
  /** Can it accept work right now? */
  checkHealth(): Promise<AdapterHealthStatus>;
  capabilities(): GatewayCapabilityProfile;
  execute(request: ExecutionRequest): Promise<ExecutionResult>;
  /** Best effort; true if cancellation was initiated. */
  cancel(taskHandle: string): Promise<boolean>;
  onEvent?(listener: ExecutionEventListener): void;
  offEvent?(listener: ExecutionEventListener): void;
  /** Called once the server listens; for adapters with a relay of their own. */
  startEventRelay?(eventBus: EventBus): void;
  stopEventRelay?(): void;
}
