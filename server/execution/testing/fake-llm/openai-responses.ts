import { DEFAULT_USAGE, newId, parseArgs, textOf, type Frame, type Protocol } from './protocol.ts';
import { deltasOf, type LlmMessage, type LlmRequest, type LlmTurn } from './script.ts';

type Part = Record<string, unknown>;

/** OpenAI's Responses API. */
export const OPENAI_RESPONSES: Protocol = {
  path: /^\/responses$/,
  read: (body) => {
    const items = (Array.isArray(body['input']) ? body['input'] : [{ role: 'user', content: body['input'] }]) as Part[];
    const isSystem = ({ role }: Part) => role === 'system' || role === 'developer';
    return {
      protocol: 'openai-responses',
      model: String(body['model']),
      system: [textOf(body['instructions']), ...items.filter(isSystem).map(({ content }) => textOf(content))]
        .filter(Boolean)
        .join('\n'),
      messages: items.filter((item) => !isSystem(item)).flatMap(readItem),
      tools: ((body['tools'] ?? []) as Part[]).flatMap(readTool),
    };
  },
  error: ({ type, message, code = null }) => ({ error: { message, type, param: null, code } }),
  async *stream(turn, request) {
    let sequence = 0;
    const frame = (type: string, data: Part): Frame => ({
      event: type,
      data: JSON.stringify({ type, sequence_number: sequence++, ...data }),
    });
    const response = { id: newId('resp_'), object: 'response', created_at: 1_700_000_000, model: request.model };
    yield frame('response.created', { response: { ...response, status: 'in_progress', output: [] } });
    const output: Part[] = [];
    yield* message(turn, frame, output);
    if (turn.cutMidStream === true) return;
    if (turn.failMidStream !== undefined) {
      const { type, message: text } = turn.failMidStream;
      yield frame('error', { error: { type, code: type, message: text, param: null } });
      return;
    }
    yield* calls(turn, frame, output);
    const { input, output: out, cacheRead, thinking } = { ...DEFAULT_USAGE, ...turn.usage };
    yield frame('response.completed', {
      response: {
        ...{ ...response, status: 'completed', output },
        usage: {
          ...{ input_tokens: input, output_tokens: out, total_tokens: input + out },
          input_tokens_details: { cached_tokens: cacheRead },
          output_tokens_details: { reasoning_tokens: thinking },
        },
      },
    });
  },
};

type MakeFrame = (type: string, data: Part) => Frame;

async function* message(turn: LlmTurn, frame: MakeFrame, output: Part[]): AsyncGenerator<Frame> {
  const deltas = deltasOf(turn.text);
  if (deltas.length === 0) return;
  const item = { id: newId('msg_'), type: 'message', role: 'assistant' };
  const at = { item_id: item.id, output_index: output.length, content_index: 0 };
  yield frame('response.output_item.added', { output_index: at.output_index, item: { ...item, content: [] } });
  yield frame('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } });
  for (const [index, delta] of deltas.entries()) {
    await turn.beforeDelta?.(index);
    yield frame('response.output_text.delta', { ...at, delta });
  }
  if (turn.cutMidStream === true || turn.failMidStream !== undefined) return;
  const done = {
    ...item,
    status: 'completed',
    content: [{ type: 'output_text', text: deltas.join(''), annotations: [] }],
  };
  yield frame('response.output_text.done', { ...at, text: deltas.join('') });
  yield frame('response.output_item.done', { output_index: at.output_index, item: done });
  output.push(done);
}

function* calls(turn: LlmTurn, frame: MakeFrame, output: Part[]): Generator<Frame> {
  for (const { name, namespace, args = {}, id = newId('call_') } of turn.toolCalls ?? []) {
    const item = { id: newId('fc_'), type: 'function_call', call_id: id, name, ...(namespace && { namespace }) };
    const output_index = output.length;
    const json = JSON.stringify(args);
    yield frame('response.output_item.added', {
      output_index,
      item: { ...item, arguments: '', status: 'in_progress' },
    });
    yield frame('response.function_call_arguments.delta', { item_id: item.id, output_index, delta: json });
    yield frame('response.function_call_arguments.done', { item_id: item.id, output_index, arguments: json });
    const done = { ...item, arguments: json, status: 'completed' };
    yield frame('response.output_item.done', { output_index, item: done });
    output.push(done);
  }
}

/** A namespace holds tools of its own, which are called by its name and theirs. */
function readTool({ type, name, description = '', parameters, tools = [] }: Part): LlmRequest['tools'] {
  if (type === 'namespace') {
    return (tools as Part[]).flatMap(readTool).map((tool) => ({ ...tool, namespace: String(name) }));
  }
  return [{ name: String(name), description: String(description), schema: parameters }];
}

function readItem(item: Part): LlmMessage[] {
  if (item['type'] === 'function_call_output')
    return [{ role: 'tool', text: textOf(item['output']), toolCalls: [], toolCallId: String(item['call_id']) }];
  if (item['type'] === 'function_call') {
    const call = { id: String(item['call_id']), name: String(item['name']), args: parseArgs(item['arguments']) };
    return [{ role: 'assistant', text: '', toolCalls: [call] }];
  }
  if (item['role'] === undefined) return [];
  return [{ role: item['role'] === 'assistant' ? 'assistant' : 'user', text: textOf(item['content']), toolCalls: [] }];
}
