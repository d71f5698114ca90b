import { DEFAULT_USAGE, newId, parseArgs, textOf, type Frame, type Protocol } from './protocol.ts';
import { deltasOf, type LlmMessage } from './script.ts';

type Part = Record<string, unknown>;

/** OpenAI's Chat Completions API, which most other servers speak, too. */
export const OPENAI_CHAT: Protocol = {
  path: /^\/chat\/completions$/,
  read: (body) => {
    const all = body['messages'] as Part[];
    const isSystem = ({ role }: Part) => role === 'system' || role === 'developer';
    return {
      protocol: 'openai-chat',
      model: String(body['model']),
      system: all
        .filter(isSystem)
        .map(({ content }) => textOf(content))
        .join('\n'),
      messages: all.filter((message) => !isSystem(message)).map(readMessage),
      tools: ((body['tools'] ?? []) as Part[]).map(({ function: tool }) => {
        const { name, description = '', parameters } = tool as Part;
        return { name: String(name), description: String(description), schema: parameters };
      }),
    };
  },
  error: ({ type, message, code = null }) => ({ error: { message, type, param: null, code } }),
  async *stream(turn, request) {
    const usage = { ...DEFAULT_USAGE, ...turn.usage };
    const base = {
      id: newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: request.model,
    };
    const chunk = (delta: Part, finish_reason: string | null = null): Frame => ({
      data: JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] }),
    });
    yield chunk({ role: 'assistant', content: '' });
    for (const [at, content] of deltasOf(turn.text).entries()) {
      await turn.beforeDelta?.(at);
      yield chunk({ content });
    }
    if (turn.cutMidStream === true) return;
    if (turn.failMidStream !== undefined) {
      yield { data: JSON.stringify({ error: { ...turn.failMidStream, param: null, code: null } }) };
      return;
    }
    const calls = turn.toolCalls ?? [];
    for (const [index, { name, args = {}, id = newId('call_') }] of calls.entries()) {
      const json = JSON.stringify(args);
      const half = Math.floor(json.length / 2);
      yield chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      for (const part of [json.slice(0, half), json.slice(half)])
        yield chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    }
    yield chunk({}, calls.length > 0 ? 'tool_calls' : 'stop');
    const { input, output, cacheRead, thinking } = usage;
    yield {
      data: JSON.stringify({
        ...base,
        choices: [],
        usage: {
          ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
          prompt_tokens_details: { cached_tokens: cacheRead },
          completion_tokens_details: { reasoning_tokens: thinking },
        },
      }),
    };
    yield { data: '[DONE]' };
  },
};

function readMessage(message: Part): LlmMessage {
  const text = textOf(message['content']);
  if (message['role'] === 'tool')
    return { role: 'tool', text, toolCalls: [], toolCallId: String(message['tool_call_id']) };
  const toolCalls = ((message['tool_calls'] ?? []) as Part[]).map((call) => {
    const { name, arguments: args } = call['function'] as Part;
    return { id: String(call['id']), name: String(name), args: parseArgs(args) };
  });
  return { role: message['role'] === 'assistant' ? 'assistant' : 'user', text, toolCalls };
}
