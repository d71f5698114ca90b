import type { LanguageModel, TextStreamPart, ToolSet } from 'ai';
import { NO_USAGE, type ExecutionRequest } from '../adapter.ts';
import type { RunContext, RunOutcome } from '../base-adapter.ts';
import { loadAi } from './load-ai.ts';
import { modelMessages } from './messages.ts';
import { repairToolCall } from './repair-tool-call.ts';
import { addUsage } from './usage.ts';

/** A model that has not come to an end after so many rounds of tools will not. */
const MAX_STEPS = 50;

/** What a provider wants to be told besides. */
export interface ProviderExtras {
  /** The prompt and the tools stay the same from turn to turn, so Anthropic is asked to keep them. */
  keepsPrompt?: boolean;
  /** OpenAI would otherwise keep every conversation. */
  storesNothing?: boolean;
}

/** Asks a model, has its tools called, and asks again, until it has answered. */
export async function streamAnswer(
  request: ExecutionRequest,
  model: LanguageModel,
  context: RunContext,
  extras: ProviderExtras = {},
): Promise<RunOutcome> {
  return new Answer(context).follow(await startStream(request, model, extras, context.signal));
}

async function startStream(
  request: ExecutionRequest,
  model: LanguageModel,
  { keepsPrompt = false, storesNothing = false }: ProviderExtras,
  signal: AbortSignal,
): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
  const { streamText, stepCountIs, Output, jsonSchema } = await loadAi();
  const schema = request.outputSchema;
  const output =
    request.outputStrategy === 'structured'
      ? { output: schema === undefined ? Output.json() : Output.object({ schema: jsonSchema(schema) }) }
      : {};
  return streamText({
    model,
    ...(request.systemPrompt === '' ? {} : { system: systemMessage(request.systemPrompt, keepsPrompt) }),
    messages: modelMessages(request),
    tools: await toolSet(request),
    stopWhen: stepCountIs(MAX_STEPS),
    abortSignal: signal,
    experimental_repairToolCall: repairToolCall,
    ...(storesNothing ? { providerOptions: { openai: { store: false } } } : {}),
    ...output,
    // Failures are parts of the stream; by itself the package would print them as well.
    onError: () => undefined,
  }).fullStream;
}

function systemMessage(content: string, isKept: boolean) {
  const kept = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
  return { role: 'system' as const, content, ...(isKept ? kept : {}) };
}

async function toolSet({ tools, toolExecutor }: ExecutionRequest): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await loadAi();
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: (args, { toolCallId: id }) => toolExecutor({ id, name, args }),
        toModelOutput: ({ output }) => {
          // What `execute` just above returns.
          const { ok, text } = output as Awaited<ReturnType<typeof toolExecutor>>;
          return { type: ok ? 'text' : 'error-text', value: text };
        },
      }),
    ]),
  );
}

/** Turns the stream of one answer into events, and keeps count. */
class Answer {
  readonly #context: RunContext;
  #usage = NO_USAGE;
  #stepText = '';
  #allText = '';

  constructor(context: RunContext) {
    this.#context = context;
  }

  async follow(parts: AsyncIterable<TextStreamPart<ToolSet>>): Promise<RunOutcome> {
    for await (const part of parts) this.#take(part);
    // The last step's text is the answer; a model that stopped after a tool has given it before.
    return { output: this.#stepText === '' ? this.#allText : this.#stepText, usage: this.#usage };
  }

  #take(part: TextStreamPart<ToolSet>): void {
    const { emit, note, signal } = this.#context;
    switch (part.type) {
      case 'start-step':
        this.#stepText = '';
        return;
      case 'text-delta':
        if (part.text === '') return;
        this.#stepText += part.text;
        this.#allText += part.text;
        note({ output: this.#allText });
        emit({ type: 'execution.text', data: { text: part.text } });
        return;
      case 'reasoning-delta':
        if (part.text !== '') emit({ type: 'execution.thinking', data: { text: part.text } });
        return;
      case 'tool-call':
        if (part.invalid === true) this.#refuse(part.toolCallId, part.toolName, part.error);
        return;
      case 'finish-step':
        this.#usage = addUsage(this.#usage, part.usage);
        note({ usage: this.#usage });
        this.#judge(part.finishReason);
        return;
      case 'error':
        throw part.error;
      case 'abort':
        throw signal.reason;
      default:
        return;
    }
  }

  /** A tool that does not exist, or arguments that are no JSON: the package tells the model by itself. */
  #refuse(id: string, name: string, error: unknown): void {
    const { emit } = this.#context;
    const text = error instanceof Error ? error.message : String(error);
    emit({ type: 'execution.tool_call', data: { id, name, args: null } });
    emit({ type: 'execution.tool_result', data: { id, name, ok: false, text, durationMs: 0, code: 'tool_not_found' } });
  }

  /** An end that is none. */
  #judge(reason: string): void {
    const { emit } = this.#context;
    if (reason === 'length')
      emit({ type: 'execution.warning', data: { message: 'the answer was cut at the model’s limit' } });
    if (reason === 'content-filter')
      emit({ type: 'execution.warning', data: { message: 'the provider’s filter ended the answer' } });
    if (reason === 'error' || reason === 'other' || reason === 'unknown')
      throw new Error('the connection closed before the answer was complete');
  }
}
