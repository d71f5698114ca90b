import { DEFAULT_USAGE, newId, textOf, type Frame, type Protocol } from './protocol.ts';
import { deltasOf, type LlmMessage, type LlmTurn } from './script.ts';

type Part = Record<string, unknown>;

/** Anthropic's Messages API. */
export const ANTHROPIC: Protocol = {
  path: /^\/messages$/,
  read: (body) => ({
    protocol: 'anthropic',
    model: String(body['model']),
    system: textOf(body['system']),
    messages: (body['messages'] as Part[]).flatMap(readMessage),
    tools: ((body['tools'] ?? []) as Part[]).map((tool) => ({
      name: String(tool['name']),
      description: textOf(tool['description']),
      schema: tool['input_schema'],
    })),
  }),
  error: ({ type, message }) => ({ type: 'error', error: { type, message } }),
  async *stream(turn, request) {
    const usage = { ...DEFAULT_USAGE, ...turn.usage };
    yield frame('message_start', {
      message: {
        ...{ id: newId('msg_'), type: 'message', role: 'assistant', model: request.model, content: [] },
        ...{ stop_reason: null, stop_sequence: null },
        usage: {
          input_tokens: usage.input,
          cache_read_input_tokens: usage.cacheRead,
          cache_creation_input_tokens: usage.cacheWrite,
          output_tokens: 1,
        },
      },
    });
    yield frame('ping', {});
    yield* blocks(turn);
    if (turn.cutMidStream === true) return;
    if (turn.failMidStream !== undefined) {
      yield frame('error', { error: turn.failMidStream });
      return;
    }
    const stop_reason = (turn.toolCalls ?? []).length > 0 ? 'tool_use' : 'end_turn';
    yield frame('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output },
    });
    yield frame('message_stop', {});
  },
};

async function* blocks(turn: LlmTurn): AsyncGenerator<Frame> {
  let index = 0;
  const start = (content_block: Part) => frame('content_block_start', { index, content_block });
  const delta = (value: Part) => frame('content_block_delta', { index, delta: value });
  const stop = () => frame('content_block_stop', { index: index++ });
  if (turn.thinking !== undefined) {
    yield start({ type: 'thinking', thinking: '', signature: '' });
    yield delta({ type: 'thinking_delta', thinking: turn.thinking });
    yield delta({ type: 'signature_delta', signature: 'c2lnbmF0dXJl' });
    yield stop();
  }
  const deltas = deltasOf(turn.text);
  if (deltas.length > 0) {
    yield start({ type: 'text', text: '' });
    for (const [at, text] of deltas.entries()) {
      await turn.beforeDelta?.(at);
      yield delta({ type: 'text_delta', text });
    }
    if (turn.cutMidStream === true || turn.failMidStream !== undefined) return;
    yield stop();
  }
  for (const { name, args = {}, id = newId('toolu_') } of turn.toolCalls ?? []) {
    yield start({ type: 'tool_use', id, name, input: {} });
    const json = JSON.stringify(args);
    const half = Math.floor(json.length / 2);
    yield delta({ type: 'input_json_delta', partial_json: '' });
    yield delta({ type: 'input_json_delta', partial_json: json.slice(0, half) });
    yield delta({ type: 'input_json_delta', partial_json: json.slice(half) });
    yield stop();
  }
}

function readMessage(message: Part): LlmMessage[] {
  const role = message['role'] === 'assistant' ? 'assistant' : 'user';
  const content = message['content'];
  if (typeof content === 'string') return [{ role, text: content, toolCalls: [] }];
  const parts = content as Part[];
  const results = parts
    .filter(({ type }) => type === 'tool_result')
    .map((part): LlmMessage => ({
      role: 'tool',
      text: textOf(part['content']),
      toolCalls: [],
      toolCallId: String(part['tool_use_id']),
    }));
  const toolCalls = parts
    .filter(({ type }) => type === 'tool_use')
    .map((part) => ({ id: String(part['id']), name: String(part['name']), args: part['input'] }));
  const text = textOf(parts.filter(({ type }) => type === 'text'));
  return text === '' && toolCalls.length === 0 ? results : [...results, { role, text, toolCalls }];
}

function frame(type: string, data: Part): Frame {
  return { event: type, data: JSON.stringify({ type, ...data }) };
}
